// Package api is the agents API: calls about agents as JSON over HTTP, and the status that
// an operator looks at.
//
// The promise: what a call is told is done is done durably, and what it is told of an agent
// is the agent's record; one that is refused is told why, and has changed nothing.
//
//  1. Whoever calls sees the agents of one tenant: to everybody else's, each call answers as
//     to an id that there is not. Only the status, which is the operator's, tells of all.
//  2. Nothing that a call does not know is passed over: an unknown argument or parameter is
//     an error, and so is one that is given twice.
//  3. The bytes of a transcript's items are those that went to the provider.
//  4. A version grows with whatever a state shows, but for what a member says is no part of
//     it: a program that reads and waits in turn misses nothing, and is not woken for nothing.
//  5. A wait and a quiet stream end when the server drains. What came to pass during a wait is
//     told only to whom its key would still admit.
//  6. Message texts are told in transcripts and closing messages only, and never logged.
//
// The package knows neither the provider nor how a request came to be admitted: whoever
// serves it does, reads bodies and histories for it, tells it what was measured, and gives
// its errors their form.
//
// A Server is safe for concurrent use. A call belongs to the goroutine that serves it.
package api
