// Package record holds recordings: what went over the wire between clients, the proxy and
// a provider, exact to the byte, so that it can be explained, replayed and compared.
//
// A recording is a file of JSON Lines, one [Exchange] a line, with the keys
//
//	id, start, settings   which exchange, when (UTC), and under which settings of the proxy
//	client                the client's request
//	upstream              each request to the provider, with the provider's answer
//	response              what the client got
//	usage                 how the request ended, and the account of each provider request
//	records               what it read and wrote of agents' records, with their versions
//
// Versions say in which order requests took effect on one another that were served at once:
// times are noted when something is seen, and that may be in another order. Times ("at") are
// microseconds since start. A body is a string, or {"base64": …} where its bytes are not
// UTF-8; a chunk of an answer is [at, body], as it was read or written. A body that came
// compressed is recorded as it was decoded.
//
// Invariants:
//
//  1. Credentials are never recorded: headers and query parameters pass a list of allowed
//     names, each in full. Who sent a request is kept as a number. Bodies are recorded whole.
//  2. A request never waits for the disk and never fails because of it. What is not yet
//     written is bounded in bytes; beyond that exchanges are dropped and counted, whole.
//  3. Request bodies are not copied on the way to the disk.
//  4. Files are readable by their owner only, and so is a directory that was made for them.
//     A file belongs to one process and one day (UTC), and what the files of recorders take
//     together is bounded: the oldest go first.
//  5. A line is whole or, after a crash, the last of its file.
//
// Keys of a file's name: YYYY-MM-DD-RUN.jsonl, and YYYY-MM-DD-RUN.N.jsonl for those that
// follow on the same day, where RUN names the process.
//
// A [Recorder] is safe for concurrent use. The other types are values of one goroutine.
package record
