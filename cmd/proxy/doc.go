// Command proxy runs trunkline: an OpenAI-compatible proxy that keeps every
// agent's prompt prefix byte-stable.
//
// This package is wiring. Each command is one type in a file of its own, with
// its flags as fields; where the flags' values come from is the settings
// package's part.
//
// Exit codes: 0; 1 if a command could not do its work; 2 if it was asked in a
// way that it does not understand.
package main
