// Command benchfork measures what forks of a long conversation cost: the prompt tokens that
// a provider processes again, and the time until its first token.
//
// It starts the program twice, as a proxy and as its simulated provider, or puts the proxy
// in front of any other provider. For each length of a parent's conversation, number of
// children and kind of child it sends a parent's request, then all children's together, on
// two ways: as an application sends them, each with the whole conversation; and as forks,
// whose clients send only what is their own.
//
//  1. Figures are the provider's: tokens are read from its usage reports, and the time is
//     measured by the client, from the request to the first content of the answer.
//  2. No two cells of the table share a prefix, so they do not depend on their order.
//  3. Texts are functions of the cell: another run sends the same bytes, except with a seed.
package main
