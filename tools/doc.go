// Package tools knows what passes between a model and the proxy: the standard
// tools, a provider's answer as it is assembled from its stream, what the
// client is shown of it, and every text that a model reads.
//
// Promise: bytes that go on to the client or back to the provider are those
// that the provider sent, cut and joined, never decoded and encoded again. Only
// what the proxy itself has to say is encoded here.
//
// Invariants
//
//  1. A definition is a constant. Its bytes are part of every prompt prefix, so
//     they change only together with the golden test that pins them.
//  2. An [Answer] holds the exact concatenation of what it was given. JSON
//     strings are joined by their escaped bodies, so that escapes, odd bytes
//     and surrogate pairs cut in two survive.
//  3. A [View] returns each frame that needs no change as the very bytes it
//     was given. It never invents a finish or an end of the stream, except where
//     the proxy itself ends an answer ([View.Interrupt], [Replay]).
//  4. Everything here is a function of its arguments: no clock, no randomness,
//     no map order, no I/O.
//  5. Malformed input of any kind is passed on or reported, never a panic.
//
// Nothing here is safe for concurrent use except the functions without a
// receiver.
package tools
