package proxy

import "net/http"

// hintHeaders are headers by which known clients name a conversation by themselves, most
// telling first: OpenCode and pi, Codex, DeepSeek Harness, Dynamo.
var hintHeaders = [...]string{
	"X-Session-Id", "Thread-Id", "Session-Id", "Session_id", "X-Session-Affinity",
	"X-Deepseek-Harness-Session-Id", "X-Dynamo-Session-Id",
}

// lineage is the name that a client's own headers give its conversation, for observation
// only; "" when they give none.
func lineage(h http.Header) string {
	for _, name := range hintHeaders {
		if v := h.Get(name); v != "" && len(v) <= 256 {
			return name + "=" + v
		}
	}
	return ""
}
