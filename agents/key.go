package agents

import "errors"

// Key names an agent: ids are unique within a tenant and mean nothing outside it.
type Key struct {
	Tenant string
	ID     string
}

// MaxID is the longest agent id, in bytes.
const MaxID = 128

// ErrBadID says that an id is empty, too long, or holds a character outside A-Za-z0-9._:-
var ErrBadID = errors.New("an agent id is 1 to 128 characters of A-Z a-z 0-9 . _ : -")

// CheckID returns ErrBadID unless id is well formed.
func CheckID(id string) error {
	if id == "" || len(id) > MaxID {
		return ErrBadID
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == ':', c == '-':
		default:
			return ErrBadID
		}
	}
	return nil
}
