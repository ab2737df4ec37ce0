//go:build !race

package proxy_test

const underRace = false
