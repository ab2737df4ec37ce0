package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func setUint(h http.Header, name string, v uint64) { h.Set(name, strconv.FormatUint(v, 10)) }

// tokens are the elements of a list header in lower case, those of all its lines.
func tokens(h http.Header, name string) []string {
	var all []string
	for _, line := range h.Values(name) {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.TrimSpace(token); token != "" {
				all = append(all, strings.ToLower(token))
			}
		}
	}
	return all
}

func hasToken(h http.Header, name, token string) bool { return slices.Contains(tokens(h, name), token) }
