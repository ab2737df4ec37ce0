package sim

import (
	"net/http"
	"sync"
)

// Received is one request as it came over the wire, with what was made of it.
type Received struct {
	Number int // as Request.Number
	Method string
	Path   string // escaped, with the query
	Header http.Header
	Body   []byte

	// The rest is zero for requests that were not rendered, and until they are.
	Conversation string
	Replica      int
	PromptTokens int
	CachedTokens int
}

// journal keeps the latest requests within its bounds.
type journal struct {
	maxEntries, maxBytes int

	mu      sync.Mutex
	number  int
	bytes   int
	entries []*Received // oldest first
}

// open numbers and keeps a request.
func (j *journal) open(r *http.Request, body []byte) *Received {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.number++
	e := &Received{Number: j.number, Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: body}
	j.entries = append(j.entries, e)
	j.bytes += len(body)
	for len(j.entries) > 1 && (len(j.entries) > j.maxEntries || j.bytes > j.maxBytes) {
		j.bytes -= len(j.entries[0].Body)
		j.entries[0] = nil // the array behind the slice would keep it alive
		j.entries = j.entries[1:]
	}
	return e
}

// amend changes a kept request under the journal's lock.
func (j *journal) amend(e *Received, f func(*Received)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(e)
}

func (j *journal) list() []Received {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Received, len(j.entries))
	for i, e := range j.entries {
		out[i] = *e
	}
	return out
}

// Requests returns the latest requests, in the order of their arrival. Bodies
// and headers are shared and not to be changed.
func (s *Server) Requests() []Received { return s.journal.list() }
