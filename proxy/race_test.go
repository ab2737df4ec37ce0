//go:build race

package proxy_test

// underRace: everything takes several times as long.
const underRace = true
