// Package sim is a simulated model provider: an OpenAI-compatible HTTP server
// with an honest block prefix cache and scripted answers.
//
// Its promise: what it reports as cached is what a real engine with a block
// prefix cache would have found, computed from the bytes that it received and
// from nothing else. It shares no code with the proxy, whose judge it is.
//
// Invariants:
//
//  1. A prompt is rendered in the order of the chat template (system, tools,
//     history, or tools first). Strings enter decoded, as a template sees them;
//     tools and other values enter as the raw bytes of the body, so key order
//     and white space inside a tool count while those around it do not. Call
//     ids and call arguments enter verbatim.
//  2. Tokens are a function of the rendered bytes: one for each role marker,
//     and one for each 4 bytes of a text (its last may be shorter).
//  3. Cached tokens are whole blocks of 16, contiguous from the first token,
//     and at least one token of every prompt is computed. With [Breakpoints]
//     they end exactly at one instead, and answers are not cached.
//  4. A prompt enters the cache when its prefill is complete, an answer when it
//     is complete, both before the client can see that; what was cancelled or
//     broken before never does. Models, cache salts and replicas share nothing.
//  5. Ids, times and texts in bodies are functions of the request's number and
//     content; no clock and no randomness.
//  6. A request whose client has left stops at its next wait or event.
//
// A [Server] is safe for concurrent use. Scripts run on the request's goroutine.
package sim
