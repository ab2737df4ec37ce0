// Package e2e tests the program from the outside: the real binary, real HTTP,
// the real stores. How to run it is the harness package's part.
package e2e
