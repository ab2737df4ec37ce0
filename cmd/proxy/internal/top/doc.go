// Package top draws a proxy's status for a terminal: the tree of agents, a bar for each
// request (reused, new, computed again), and the last breaks.
//
// Drawing is a function of the status and the size of the screen. What comes from clients
// (ids, labels, names of tools) is shown without control characters.
package top
