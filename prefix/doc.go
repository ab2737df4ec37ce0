// Package prefix holds the bytes of a chat request: where its parts are, what a
// provider renders ahead of the history, how a request is put together again
// without disturbing a byte that nobody asked to change, how a history is kept
// and found again in what a client sends, and what a provider reports of it.
//
// Its promise: a request that needs no edit leaves as the very same bytes, and
// an edited one differs only inside the spans that the edit names.
//
// Invariants:
//
//  1. A client's text is never decoded and encoded again. It is scanned once
//     into spans, and edits splice between spans.
//  2. Every slice handed out aliases its input with capped capacity; nobody
//     writes into it, here or in a caller.
//  3. The scanner accepts exactly the texts that encoding/json.Valid accepts.
//  4. All output is a function of the input alone: no clock, no randomness, no
//     order of a map.
//
// The package does no I/O and starts no goroutine. Its values may be read by
// several goroutines at once.
package prefix
