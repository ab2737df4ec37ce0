// Package keys reads the file of the keys that clients of the proxy present.
//
// Promise: a file that can be read as a whole is what counts, from the first request
// after it was written on; one that cannot changes nothing.
//
//	keys:
//	  - key: a-long-random-text     # what the client presents
//	    tenant: research            # whose agents these are
//	    scopes: [model, agents]     # [model] when absent
//	    upstream_key: sk-…          # for the provider; --upstream-key when absent
//	  - sha256: 9f86d081884c7d65…   # or the hash of it, in hex
//	    tenant: operations
//	    scopes: [admin]
//
// Invariants:
//
//  1. Of a client's key only its SHA-256 is kept, and only hashes are compared: with all
//     of them, each in constant time, so that no answer is faster than another.
//  2. No error and no log holds a key, an upstream key, or a part of either. They name
//     the file and the line.
//  3. Nothing is ignored: an unknown field, a scope that does not exist, a key given
//     twice are errors, and so is a file without keys, or one that ends within a line.
//     What is written in place may still be read too early, between two lines: then keys
//     are missing, or a key's last fields. A rename leaves no such moment.
//
// A Ring is safe for concurrent use.
package keys
