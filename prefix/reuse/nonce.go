package reuse

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNonce is the longest span, in bytes, that is still called a nonce: a
// signed token may be long, a paragraph is not one.
const maxNonce = 512

// changedSpan returns the one span in which two texts differ: was[start:wasEnd]
// became now[start:nowEnd], and all around it is equal.
func changedSpan(was, now []byte) (start, wasEnd, nowEnd int) {
	most := min(len(was), len(now))
	for start < most && was[start] == now[start] {
		start++
	}
	wasEnd, nowEnd = len(was), len(now)
	for wasEnd > start && nowEnd > start && was[wasEnd-1] == now[nowEnd-1] {
		wasEnd, nowEnd = wasEnd-1, nowEnd-1
	}
	return start, wasEnd, nowEnd
}

// isNonce reports whether the text changed only in one short span whose word is
// of the kind that machines draw anew for each request: letters mixed with
// digits, or a long number. A clock or date is not: it names what it is, and
// the operator can round it; nor is a changed word of plain text.
func isNonce(was, now []byte) bool {
	start, wasEnd, nowEnd := changedSpan(was, now)
	return drawn(word(was, start, wasEnd)) && drawn(word(now, start, nowEnd))
}

// word widens a span to the whole of the words that it touches.
func word(text []byte, start, end int) string {
	inside := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_:./+", r)
	}
	for start > 0 {
		r, size := utf8.DecodeLastRune(text[:start])
		if !inside(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !inside(r) {
			break
		}
		end += size
	}
	return string(bytes.Trim(text[start:end], "-_:./+"))
}

func drawn(word string) bool {
	if len(word) > maxNonce || strings.ContainsFunc(word, unicode.IsSpace) {
		return false
	}
	var digits, letters int
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if isClock(word) {
		return false
	}
	return digits > 0 && letters > 0 || digits >= 6
}

// isClock reports whether a word is a time or date in digits, such as 10:01,
// 2026-11-30T10:01:22.5Z or 30/11/2026.
func isClock(word string) bool {
	body := strings.TrimRight(strings.ToLower(word), "zamp")
	if !strings.ContainsAny(body, ":-/.") {
		return false
	}
	groups := strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(":-/.+t", r) })
	for _, g := range groups {
		if len(g) > 6 || strings.ContainsFunc(g, func(r rune) bool { return !unicode.IsDigit(r) }) {
			return false
		}
	}
	return len(groups) > 1
}
