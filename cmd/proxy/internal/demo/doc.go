// Package demo tells, in one page of output, what the proxy is for: a story of
// one parent agent and two children, played over real HTTP by an ordinary
// OpenAI client.
//
// Its promise: every figure is measured in this run. Token counts are what the
// provider reported, read between the proxy and the provider; times are the
// client's clock, from the request to the first event that says something.
//
//  1. The parent's conversation is some 8,000 tokens: a system prompt, a dozen
//     tools, several turns with tool calls. What its tools return is the source
//     of this package.
//  2. The fork child sends nothing but its task; the proxy puts the parent's
//     bytes before it. The naive child has the same task, behind its own copy
//     of the same history, one more section at the end of the system prompt and
//     one more tool at the end of the list.
//  3. The story judges nothing. It ends with an error only where a step could
//     not be made; a model that does other than expected is told as it is.
//  4. Each run begins with a text that no run before it had, so that a
//     provider's cache is cold for it.
package demo
