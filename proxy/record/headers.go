package record

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// allowedHeaders may be recorded, in lower case; a name that ends in "*" stands for all
// that begin so. What is not here could be a credential, whatever it is called.
var allowedHeaders = [...]string{
	"accept", "cache-control", "content-type", "user-agent",
	"x-agent-*", "x-prefix-*", "x-trunkline-error",
	// How known clients name a conversation.
	"x-session-id", "thread-id", "session-id", "session_id", "x-session-affinity",
	"x-deepseek-harness-session-id", "x-dynamo-session-id", "x-dynamo-parent-session-id",
	// What known clients and providers say of themselves and of their limits.
	"anthropic-beta", "anthropic-version", "openai-beta", "openai-processing-ms", "openai-version",
	"x-stainless-*", "retry-after", "retry-after-ms", "x-should-retry", "x-ratelimit-*", "x-request-id",
	// An answer that is relayed unread may be compressed.
	"content-encoding", "content-length",
}

func allowedHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(allowedHeaders[:], func(allowed string) bool {
		if stem, ok := strings.CutSuffix(allowed, "*"); ok {
			return strings.HasPrefix(name, stem)
		}
		return name == allowed
	})
}

// recorded returns what may be kept of headers, by name.
func recorded(h http.Header) []Header {
	var kept []Header
	for name, values := range h {
		if allowedHeader(name) {
			for _, v := range values {
				kept = append(kept, Header{name, v})
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b Header) int { return strings.Compare(a[0], b[0]) })
	return kept
}

// allowedParameters of a query may be recorded with their values.
var allowedParameters = []string{"after", "api-version", "before", "beta", "include", "limit", "order", "stream"}

// recordedPath returns a client's path and query, with the values of unknown parameters
// left out: some providers take keys there.
func recordedPath(u *url.URL) string {
	path := u.EscapedPath()
	if u.RawQuery == "" {
		return path
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err != nil || !slices.Contains(allowedParameters, decoded) {
			pair = name + "=redacted"
		}
		query = append(query, pair)
	}
	return path + "?" + strings.Join(query, "&")
}
