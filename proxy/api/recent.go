package api

import (
	"sync"
	"time"
)

// maxRecent is how many measured requests are kept for those who look on.
const maxRecent = 512

// recent keeps the latest measured requests of everybody, in the order in which they ended.
// The zero value is ready.
type recent struct {
	mu   sync.Mutex
	ring []seen
	next int
	seq  uint64 // of the latest, grows from process to process
}

// seen is a measured request and its place among them.
type seen struct {
	seq uint64
	*Request
}

func (r *recent) add(a *Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// By the clock: whoever looked on at an earlier process sees what is new in this one.
	r.seq = max(r.seq+1, uint64(time.Now().UnixMicro()))
	s := seen{r.seq, a}
	if len(r.ring) < maxRecent {
		r.ring = append(r.ring, s)
		return
	}
	r.ring[r.next] = s
	r.next = (r.next + 1) % maxRecent
}

// since returns the requests behind seq, oldest first.
func (r *recent) since(seq uint64) []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []seen
	for i := range r.ring {
		if s := r.ring[(r.next+i)%len(r.ring)]; s.seq > seq {
			out = append(out, s)
		}
	}
	return out
}
