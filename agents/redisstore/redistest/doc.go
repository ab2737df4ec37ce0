// Package redistest runs real Redis servers for tests: one, a cluster, a sentinel.
//
// Each server is a process of its own on a free port of the loopback, with an
// append-only file in a directory of its own, so that a test can kill it and start it
// again with its data. The end of the test ends the processes. A missing redis-server
// fails the test: nothing is skipped.
package redistest
