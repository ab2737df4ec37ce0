package record

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"trunkline/prefix"
)

// lineOf matches FILE:LINE, and FILE:LINE/N for the Nth provider request of that line.
var lineOf = regexp.MustCompile(`^(.*):(\d+)(?:/(\d+))?$`)

// LoadBody reads the body of a request: a file that holds it, FILE:LINE for the last provider
// request of an exchange in a recording, or FILE:LINE/N for the Nth. Of a body alone kind is
// Responses where its list is called so, else Chat.
func LoadBody(name string) (body []byte, kind prefix.Kind, err error) {
	m := lineOf.FindStringSubmatch(name)
	if _, err := os.Stat(name); err == nil || m == nil {
		body, err = os.ReadFile(name)
		if err == nil && strings.HasSuffix(name, ".jsonl") {
			err = fmt.Errorf("%s is a recording: name a line of it, as in %s:1", name, name)
		}
		return body, kindOf(body), err
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
			return nil, 0, fmt.Errorf("%s has no request %s to the provider, but %d in all", place, m[3], len(x.Upstream))
		}
		return x.Upstream[n-1].Request.Body.Bytes(), x.Kind(), nil
	}
	return nil, 0, fmt.Errorf("%s: the file has no such line", place)
}

// kindOf is the kind of a body that nothing else tells of.
func kindOf(body []byte) prefix.Kind {
	b, err := prefix.Observe(body, prefix.Chat)
	if err != nil {
		return prefix.Chat
	}
	_, messages := b.Field(listOf(prefix.Chat))
	if _, input := b.Field(listOf(prefix.Responses)); input && !messages {
		return prefix.Responses
	}
	return prefix.Chat
}

// listOf is the name of the member that holds the history.
func listOf(kind prefix.Kind) string {
	if kind == prefix.Responses {
		return "input"
	}
	return "messages"
}
