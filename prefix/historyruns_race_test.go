//go:build race

package prefix

const historyRuns = 5_000
