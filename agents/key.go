package agents

import (
	"errors"
	"net/url"
	"strings"
)

// Key names an agent: ids are unique within a tenant and mean nothing outside it.
type Key struct {
	Tenant string
	ID     string
}

// Name is the key in one string, as a store may name what belongs to it: the tenant and the
// id with one "/" between, each escaped as a segment of a URL path. So the names of a tenant
// begin alike, and no other tenant's do.
func (k Key) Name() string { return url.PathEscape(k.Tenant) + "/" + url.PathEscape(k.ID) }

// ParseName undoes Name.
func ParseName(name string) (k Key, err error) {
	tenant, id, _ := strings.Cut(name, "/")
	if k.Tenant, err = url.PathUnescape(tenant); err != nil {
		return Key{}, err
	}
	if k.ID, err = url.PathUnescape(id); err != nil {
		return Key{}, err
	}
	return k, nil
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
