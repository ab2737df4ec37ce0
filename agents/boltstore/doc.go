// Package boltstore keeps agents in one bbolt file, for one process at a time.
//
// Promise: what Commit, Delete, Enroll and Strike acknowledged is on disk (fsync) and
// survives the end of the process and of the machine.
//
// Invariants:
//
//  1. A file lock keeps every other process out while the store is open, so Exclusive
//     is true.
//  2. Writes that wait while the disk is busy share the next transaction and its fsync.
//     A lone write never waits for company.
//  3. In a shared transaction a refused write (agents.ErrConflict) has touched nothing
//     and does not concern its neighbours. When the transaction itself fails, none of
//     its writes took effect and each of them returns agents.ErrUnavailable.
//  4. The versions of all records come from one sequence, so none ever comes back. It
//     follows the clock, in microseconds, and does not count: versions stand in ids that
//     clients see, and from the gaps in a count a tenant would read how much others write.
//
// Errors: agents.ErrUnavailable when the file is locked by another process or the disk
// refuses, agents.ErrUnfit when the file is not ours, is damaged, or is newer.
//
// # The file
//
// The directory is created with mode 0700 and the file with 0600. The file never
// shrinks; space that a Delete frees is used again. Buckets (a name is
// agents.Key.Name, so the keys of one tenant, and of one agent, lie together):
//
//	meta     "schema"             → "1"
//	records  name                 → version, 8 bytes big endian, then the record
//	blobs    name "/" blob id     → blob
//	trees    name of root "/" id  → mark, 8 bytes big endian, or nothing: id is in the
//	                                tree of root
//	roots    name of root         → nothing
//
// All methods may be called concurrently; readers do not wait for the writer.
package boltstore
