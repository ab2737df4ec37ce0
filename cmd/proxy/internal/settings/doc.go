// Package settings gives every flag of a command one value, from the first of
// these that has one: the command line, the environment, a YAML file, the
// default. It knows afterwards which one that was.
//
// Invariants:
//
//  1. Nothing is ignored. A variable with our prefix that no command has a flag
//     for, a key of the file that the command has no flag for, a key written
//     twice and a value that its flag cannot hold are errors that name it, and
//     where it was found.
//  2. One syntax. A value is read by its flag's own parser, wherever it comes
//     from; a list is comma-separated everywhere, and may be a YAML list in the
//     file.
//  3. An environment variable that is set to nothing is not set, so that a
//     start script can hand through what it does not have.
//  4. Secrets are not printed: values of flags tagged `secret`, and what
//     a value's own Redacted method leaves out.
//
// A flag may be tagged `fallback:"NAME"`: a variable without our prefix that
// stands in for its default.
package settings
