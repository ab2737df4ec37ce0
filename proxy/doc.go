// Package proxy is the HTTP edge: it serves model clients, and carries each request to a
// provider and each answer back.
//
// The promise: the bytes of a client that says nothing of agents pass unchanged in both
// directions, and the prompt of one that does is append-only: what an agent's step sent
// is the beginning of what its next step sends, and a fork child begins with what its
// parent sent. Cache markers, which no provider renders, are no part of that.
//
//  1. A client's body is never decoded and encoded again. It is split into spans, and
//     edits are spliced between them (package prefix).
//  2. What the proxy inserts into a prompt is durable, with its place, before it is sent.
//  3. The provider's end is the client's end: a finish, a [DONE] or a clean end of the
//     body is relayed or, where the proxy itself has decided the end (an interrupt, the
//     step limit, a replayed answer), made. It is never made up for a stream that broke:
//     that one shows as an error event or as an aborted transfer.
//  4. An answer is recorded before its end is told to the client.
//  5. The inbound request's context is the outbound one's parent: a client that leaves
//     ends the provider's request. Bodies that are understood are read whole first, since
//     the server notices a lost client only then.
//  6. Bodies, credentials and message texts are never logged.
//
// One goroutine owns a ResponseWriter. A Server is safe for concurrent use.
package proxy
