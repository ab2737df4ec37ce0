package record

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// allowedHeaders may be recorded, in their canonical form. What is not here could be a
// credential, whatever it is called, and so could what only begins like one of these.
var allowedHeaders = map[string]bool{
	"Accept": true, "Cache-Control": true, "Content-Type": true, "User-Agent": true, "X-Trunkline-Error": true,
	// How known clients name a conversation, and the one that it came from.
	"X-Session-Id": true, "X-Parent-Session-Id": true, "Thread-Id": true, "X-Codex-Parent-Thread-Id": true,
	"Session-Id": true, "Session_id": true, "X-Session-Affinity": true, "X-Deepseek-Harness-Session-Id": true,
	"X-Dynamo-Session-Id": true, "X-Dynamo-Parent-Session-Id": true,
	// What known clients and providers say of themselves and of their limits.
	"Anthropic-Beta": true, "Anthropic-Version": true, "Openai-Beta": true, "Openai-Processing-Ms": true, "Openai-Version": true,
	"Retry-After": true, "Retry-After-Ms": true, "X-Should-Retry": true, "X-Request-Id": true,
	"X-Stainless-Arch": true, "X-Stainless-Async": true, "X-Stainless-Helper-Method": true, "X-Stainless-Lang": true,
	"X-Stainless-Os": true, "X-Stainless-Package-Version": true, "X-Stainless-Poll-Helper": true, "X-Stainless-Read-Timeout": true,
	"X-Stainless-Retry-Count": true, "X-Stainless-Runtime": true, "X-Stainless-Runtime-Version": true, "X-Stainless-Timeout": true,
	"X-Ratelimit-Limit-Requests": true, "X-Ratelimit-Remaining-Requests": true, "X-Ratelimit-Reset-Requests": true,
	"X-Ratelimit-Limit-Tokens": true, "X-Ratelimit-Remaining-Tokens": true, "X-Ratelimit-Reset-Tokens": true,
	// What the proxy itself reads and answers. Other programs have headers that begin alike.
	"X-Agent-Id": true, "X-Agent-Parent-Id": true, "X-Agent-Mode": true, "X-Agent-Kind": true, "X-Agent-Label": true,
	"X-Agent-Notify": true, "X-Agent-Head": true, "X-Agent-Tools-Deny": true, "X-Agent-Resume": true, "X-Agent-Turn": true,
	"X-Prefix-Break": true, "X-Prefix-Shared-Bytes": true, "X-Prefix-Total-Bytes": true,
	// An answer that is relayed unread may be compressed.
	"Content-Encoding": true, "Content-Length": true,
}

func allowedHeader(name string) bool { return allowedHeaders[http.CanonicalHeaderKey(name)] }

// redacted stands for a value that may be a credential.
const redacted = "redacted"

// recorded returns what may be kept of headers, by name.
func recorded(h http.Header) []Header {
	var all []Header
	for name, values := range h {
		for _, v := range values {
			all = append(all, Header{name, v})
		}
	}
	slices.SortStableFunc(all, func(a, b Header) int { return strings.Compare(a[0], b[0]) })
	return allowed(all)
}

// allowed returns what may be kept, in order. An unknown header that begins as those of agents
// do is kept without its value: the proxy refuses a request for its name.
func allowed(all []Header) []Header {
	var kept []Header
	for _, h := range all {
		switch {
		case allowedHeader(h[0]):
			kept = append(kept, h)
		case strings.HasPrefix(http.CanonicalHeaderKey(h[0]), "X-Agent-"):
			kept = append(kept, Header{h[0], redacted})
		}
	}
	return kept
}

// allowedParameters of a query may be recorded with their values.
var allowedParameters = []string{"after", "api-version", "before", "beta", "include", "limit", "order", "stream"}

// recordedPath returns a client's path and query, with the values of unknown parameters
// left out: some providers take keys there. A parameter without a value may be a key itself,
// and so may what follows a semicolon, which some servers take for the end of a parameter.
func recordedPath(u *url.URL) string { return pathAndQuery(u.EscapedPath(), u.RawQuery) }

func pathAndQuery(path, query string) string {
	if query == "" {
		return path
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		kept = append(kept, recordedParameter(pair))
	}
	return path + "?" + strings.Join(kept, "&")
}

func recordedParameter(pair string) string {
	name, value, valued := strings.Cut(pair, "=")
	decoded, err := url.QueryUnescape(name)
	switch {
	case err == nil && slices.Contains(allowedParameters, decoded) && !strings.Contains(value, ";"):
		return pair
	case !valued || strings.Contains(name, ";"):
		return redacted
	}
	return name + "=" + redacted
}
