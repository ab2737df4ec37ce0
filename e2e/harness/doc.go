// Package harness runs real servers for tests: the program, as the binary that
// is built, and Redis; as processes, with their signals and exit codes.
//
// Invariants:
//
//  1. A process ends with the test that started it, and a test fails when one
//     that was not killed ends otherwise than with exit code 0 on SIGTERM. Under
//     the race detector the binary is built with it too, so a race in the
//     program fails the test that showed it.
//  2. The program sees nothing of the machine's settings: its environment is made
//     here, and its home is a new directory.
//  3. Ports are chosen by the system, so tests can run side by side.
//
// A failed test prints what its processes wrote.
package harness
