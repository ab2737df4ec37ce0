// Package e2e tests the program from the outside: the real binary, real HTTP,
// the real stores. How to run it is the harness package's part.
//
// Most tests are stories: a few agents, and a model that says what the story needs. Others
// put a crowd of agents at random behind proxies that are killed, stopped, or lose their
// store; such a test is named by its seed.
//
// The provider is simulated, in process, so that a test has the exact bytes that
// it got and says when each of its answers goes on. Two kinds of clients talk
// through the program: applications on unmodified libraries ([app]), and a plain
// HTTP client that can do what a library hides ([client]), in stories that each
// tell one promise. Where agents matter, a story is told on both stores, to
// clients that stream and to clients that do not.
package e2e
