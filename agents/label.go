package agents

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLabel is the longest label, in characters.
const MaxLabel = 80

// CheckLabel returns what is wrong with a label, as the rest of a sentence about it.
func CheckLabel(label string) error {
	switch {
	case !utf8.ValidString(label):
		return errors.New("is not valid UTF-8")
	case utf8.RuneCountInString(label) > MaxLabel:
		return errors.New("has more than 80 characters")
	case strings.ContainsFunc(label, unicode.IsControl):
		return errors.New("holds a control character")
	}
	return nil
}
