// Package redisstore keeps agents in Redis, for any number of processes.
//
// Promise: each write is one script or one command on one agent's keys, so it takes
// effect whole or not at all, also on a cluster. How much of what Redis acknowledged
// survives the end of a server is Redis's configuration: append-only file, fsync policy,
// replicas. Open warns when the append-only file is off. A failover to a replica loses what
// only the primary had; with wait_replicas in the URL nothing counts that only it has.
//
// Invariants:
//
//  1. Every key that a script touches is passed in KEYS, and all keys of one agent have
//     one hash tag, so they share a cluster slot.
//  2. A script on a record is sent at most once. When its answer is lost, the call returns
//     agents.ErrUnavailable and the caller reads again; it never mistakes its own
//     commit for another's. Only answers that prove that nothing ran (a redirect, an
//     unknown script) make the client send it again.
//  3. Reads go to primaries, never to replicas.
//  4. Nothing expires, is trimmed, or is read destructively; no call blocks in Redis.
//     Pub/sub carries hints only, and Watch tells with a zero Key when some may be lost.
//  5. Every call is bounded by its context and by the timeouts of the URL (2 s each for
//     dialling, reading, writing, and waiting for a connection, unless it says else).
//  6. Versions are the server's clock in microseconds, or one more than the last where
//     the clock stands or went back, so a deleted agent's versions do not come back.
//
// Errors: agents.ErrUnavailable for every failure to reach Redis or to be served by it,
// agents.ErrUnfit from Open for a server or a URL that cannot be used as it is.
//
// # Keys
//
// A name is agents.Key.Name: the names of one tenant lie together in the list of roots.
//
//	trunkline:schema          "1"
//	trunkline:checked         nothing: Check writes it
//	trunkline:roots           sorted set, all scores 0: name of each root
//	trunkline:{name}:record   hash: v (the version), d (the record)
//	trunkline:{name}:blobs    hash: blob id → blob
//	trunkline:{name}:tree     set: ids in the tree of this root
//	trunkline:{name}:marks    hash: id in that tree → its mark; earlier versions of this
//	                          program enrolled without one
//	trunkline:changes         channel: name of a changed agent
//
// A user with access control needs the commands of these, EVAL, EVALSHA, PUBLISH, PING, WAIT
// and, to be checked at the start, INFO.
package redisstore
