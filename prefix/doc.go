// Package prefix holds the bytes of a chat request: where its parts are, what a
// provider renders ahead of the history, and how a request is put together
// again without disturbing a byte that nobody asked to change.
package prefix
