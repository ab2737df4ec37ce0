// Package figure writes numbers for people. The demo has this once more: its own source is
// what its agents read and speak of.
package figure

import "strconv"

// Of returns n in groups of three digits: 1234567 is "1,234,567".
func Of(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 1 // the least place where a comma can stand
	if n < 0 {
		first = 2
	}
	for at := len(digits) - 3; at >= first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
