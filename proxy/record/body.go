package record

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	"trunkline/prefix"
)

// lineOf matches FILE:LINE, and FILE:LINE/N for the Nth provider request of that line.
var lineOf = regexp.MustCompile(`^(.*):(\d+)(?:/(\d+))?$`)

// LoadBody reads the body of a request: a file that holds it, FILE:LINE for the last provider
// request of an exchange in a recording, or FILE:LINE/N for the Nth. kind is Chat where the
// file does not say.
func LoadBody(name string) (body []byte, kind prefix.Kind, err error) {
	m := lineOf.FindStringSubmatch(name)
	if _, err := os.Stat(name); err == nil || m == nil {
		body, err = os.ReadFile(name)
		return body, prefix.Chat, err
	}
	exchanges, _, err := Read(m[1])
	if err != nil {
		return nil, 0, err
	}
	place := m[1] + ":" + m[2]
	for _, x := range exchanges {
		if x.Place != place {
			continue
		}
		n := len(x.Upstream)
		if m[3] != "" {
			n, _ = strconv.Atoi(m[3]) // digits; too many are past any list
		}
		switch {
		case m[3] == "" && n == 0:
			return x.Client.Body.Bytes(), x.Kind(), nil
		case n < 1 || n > len(x.Upstream):
			return nil, 0, fmt.Errorf("%s has %d requests to the provider", place, len(x.Upstream))
		}
		return x.Upstream[n-1].Request.Body.Bytes(), x.Kind(), nil
	}
	return nil, 0, fmt.Errorf("%s: the file has no such line", place)
}
