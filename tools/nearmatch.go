package tools

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxNear   = 3   // ids named
	maxIDLen  = 128 // bytes; a longer target is no id and near to none
	maxTyping = 3   // edits between an id and a mistyped one
)

// Near returns the ids that target may have meant, nearest first, at most
// three: those within a few edits, and those that it begins or ends.
func Near(target string, ids []string) []string {
	if target == "" || len(target) > maxIDLen {
		return nil
	}
	type match struct {
		id       string
		distance int
	}
	var matches []match
	folded := strings.ToLower(target)
	for _, id := range ids {
		other := strings.ToLower(id)
		d := distance(folded, other)
		switch {
		case d <= min(maxTyping, len(target)/2):
			matches = append(matches, match{id, d})
		case strings.HasPrefix(other, folded) || strings.HasSuffix(other, folded):
			matches = append(matches, match{id, maxTyping + 1})
		}
	}
	slices.SortFunc(matches, func(x, y match) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), strings.Compare(x.id, y.id))
	})
	matches = matches[:min(len(matches), maxNear)]
	near := make([]string, len(matches))
	for i, m := range matches {
		near[i] = m.id
	}
	return near
}

// distance returns the least number of bytes inserted, deleted or replaced
// between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
