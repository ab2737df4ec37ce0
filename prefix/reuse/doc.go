// Package reuse says what of a prompt a provider should have read from its cache, and what
// became of the rest: where a request leaves what was sent before it and why, what the
// provider's rules keep of what they share, and what it lost in tokens.
//
// Its promise: an account never expects more than was sent before, by the same tenant to the
// same provider and model, nor more than the provider's rules promise of that; and each token
// that it counts as lost has one cause.
//
// Invariants:
//
//  1. A request is known by its Path: its parts in the order in which the provider renders
//     them. Parts are compared by their bytes, without the cache markers, and by nothing else.
//  2. Nothing is shared across two scopes. Only the head that a request is compared with, to
//     name what changed, may have gone to another model.
//  3. A number that a provider reported stands as reported. What lies between two reports is
//     estimated from them, and what nobody reported is told apart from 0.
//  4. 0 ≤ Expected ≤ Shared ≤ Prompt in every account, and its losses are disjoint.
//  5. What is known of providers is data, each figure with how sure it is; in doubt the one
//     that expects less.
//
// The package does no I/O, starts no goroutine and reads no clock. An Index may be used by
// several goroutines at once; all other values are immutable, and may be read by several.
package reuse
