package sim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"unicode/utf8"
)

// received is one line of GET /sim/requests.
type received struct {
	Number       int         `json:"number"`
	Method       string      `json:"method"`
	Path         string      `json:"path"`
	Header       http.Header `json:"header"`
	Body         *string     `json:"body,omitempty"`        // when it is UTF-8
	BodyBase64   string      `json:"body_base64,omitempty"` // when it is not
	Conversation string      `json:"conversation"`
	Replica      int         `json:"replica"`
	PromptTokens int         `json:"prompt_tokens"`
	CachedTokens int         `json:"cached_tokens"`
}

// serveRequests answers the received requests as JSON lines.
func (s *Server) serveRequests(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/jsonl")
	for _, e := range s.journal.list() {
		line := received{
			Number: e.Number, Method: e.Method, Path: e.Path, Header: masked(e.Header),
			Conversation: e.Conversation, Replica: e.Replica, PromptTokens: e.PromptTokens, CachedTokens: e.CachedTokens,
		}
		if utf8.Valid(e.Body) {
			line.Body = new(string(e.Body))
		} else {
			line.BodyBase64 = base64.StdEncoding.EncodeToString(e.Body)
		}
		if _, err := w.Write(append(encode(line), '\n')); err != nil {
			return
		}
	}
}

// masked replaces credentials by a short hash, which can be compared and not
// used: a proxy in front of the simulation may hold real keys.
func masked(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key", "Cookie"} {
		for i, v := range h[name] {
			sum := sha256.Sum256([]byte(v))
			h[name][i] = "sha256:" + hex.EncodeToString(sum[:8])
		}
	}
	return h
}
