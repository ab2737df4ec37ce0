// Package archtest holds the project's import table: which of its packages may
// import which, who may import a dependency, and why. It has tests only.
package archtest
