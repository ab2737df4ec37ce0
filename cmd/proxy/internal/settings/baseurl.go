package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// BaseURL is an absolute http or https URL. Its user and its query may be
// credentials.
type BaseURL url.URL

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *BaseURL) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || u.Host == "" || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
		const want = "want an http:// or https:// URL"
		if strings.ContainsAny(string(text), "@?") {
			return errors.New(want) // the text may hold a credential
		}
		return fmt.Errorf("%s, got %q", want, text)
	}
	*b = BaseURL(*u)
	return nil
}

// URL returns a copy.
func (b BaseURL) URL() *url.URL { u := url.URL(b); return &u }

// Redacted returns the URL without its user and the values of its query.
func (b BaseURL) Redacted() string {
	u := b.URL()
	if u.User != nil {
		u.User = url.User(redacted)
	}
	if query := u.Query(); len(query) > 0 {
		for name := range query {
			query[name] = []string{redacted}
		}
		u.RawQuery = query.Encode()
	}
	return u.String()
}
