//go:build !race

package prefix

const historyRuns = 100_000
