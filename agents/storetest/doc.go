// Package storetest checks that an engine is an agents.Store, and lends the tests of
// the layers above a store that is simple (Memory) and one that fails (Failing).
//
// Run tests every sentence of the interface on an empty store. Durable adds that what
// was acknowledged is there after a reopen, and Shared that two processes on one store
// agree. An engine calls those that it promises.
//
// Where the interface leaves room, the suite fixes it:
//
//  1. A version never comes back: after a Delete the next record of the same agent has
//     a version that no earlier one had, so a stale writer gets ErrConflict.
//  2. A change that drops and puts one blob id leaves it stored.
//  3. Every call copies: the caller may reuse what it passed and change what it got.
//  4. Watch gives the zero Key first, when hints begin to flow, and returns ctx.Err().
//  5. Roots with a limit below 1 returns one root.
//  6. When Enroll and Strike of one root meet, a root that its tree holds is listed.
//  7. A stored empty blob is not nil; only a missing one is.
package storetest
