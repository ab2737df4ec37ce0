// Package sse cuts a server-sent event stream into events without changing a byte of it.
//
// It exists for a relay: every byte that was read comes out again in the Raw
// of exactly one Event, in order, while the fields of an event are decoded
// beside it by the rules of the WHATWG event stream format.
//
// Invariants
//
//  1. The concatenation of all Raw equals the input, whatever the input is and
//     however it arrives.
//  2. Next does not read once the blank line that ends an event is buffered. A
//     stream whose lines end in CR is never held back to see whether LF follows.
//     Where the line before ended in CRLF the LF of the blank one is awaited: an
//     event that is held, left out or followed by a comment takes it along. By
//     the standard it might as well stand anywhere, but many clients know no
//     line that ends in a CR alone.
//  3. Each byte is looked at a constant number of times, so a line of any
//     length costs linear time however small the reads are.
//  4. An event longer than the ceiling is relayed in pieces and not decoded:
//     memory is bounded, the stream is not cut.
//  5. A read error or the end of the stream is reported after the bytes that
//     came before it.
//
// A Reader belongs to one goroutine.
package sse
