// Package storetest checks that an engine is an agents.Store, and lends the tests of
// the layers above a store that is simple (Memory) and one that fails (Failing).
//
// Run tests every sentence of the interface on an empty store. Durable adds that what
// was acknowledged is there after a reopen, and Shared that two processes on one store
// agree. An engine calls those that it promises.
package storetest
