package record

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// allowedHeaders may be recorded, in their canonical form. What is not here could be a
// credential, whatever it is called.
var allowedHeaders = map[string]bool{
	"Accept": true, "Cache-Control": true, "Content-Type": true, "User-Agent": true, "X-Trunkline-Error": true,
	// How known clients name a conversation, and the one that it came from.
	"X-Session-Id": true, "X-Parent-Session-Id": true, "Thread-Id": true, "X-Codex-Parent-Thread-Id": true,
	"Session-Id": true, "Session_id": true, "X-Session-Affinity": true, "X-Deepseek-Harness-Session-Id": true,
	"X-Dynamo-Session-Id": true, "X-Dynamo-Parent-Session-Id": true,
	// What known clients and providers say of themselves and of their limits.
	"Anthropic-Beta": true, "Anthropic-Version": true, "Openai-Beta": true, "Openai-Processing-Ms": true, "Openai-Version": true,
	"Retry-After": true, "Retry-After-Ms": true, "X-Should-Retry": true, "X-Request-Id": true,
	// An answer that is relayed unread may be compressed.
	"Content-Encoding": true, "Content-Length": true,
}

// allowedStems are how families of headers begin that may be recorded.
var allowedStems = [...]string{"X-Agent-", "X-Prefix-", "X-Stainless-", "X-Ratelimit-"}

func allowedHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return allowedHeaders[name] ||
		slices.ContainsFunc(allowedStems[:], func(stem string) bool { return strings.HasPrefix(name, stem) })
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
