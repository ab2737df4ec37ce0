package record

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrRelation is wrapped when a scrubbed recording does not have the relations of the
// original.
var ErrRelation = errors.New("scrubbing changed how two bodies relate")

// Scrub replaces all prose of a session by filler, in place: texts, call arguments,
// descriptions, labels; and what errors of the network said. Lengths, structure, names, ids,
// roles and numbers stay, and so does how much any two bodies of the session have in common
// from their start, which is proven before it returns. The filler depends on a secret that
// is not kept.
func (s *Session) Scrub() error {
	var secret [32]byte
	rand.Read(secret[:])
	before := s.bodies()
	scrub := newScrubber(secret)
	for _, x := range s.Exchanges {
		x.scrub(scrub)
	}
	scrub.rest()
	return prove(before, s.bodies())
}

func (x *Exchange) scrub(s *scrubber) {
	scrubRequest(&x.Client, s)
	for i := range x.Upstream {
		h := &x.Upstream[i]
		scrubRequest(&h.Request, s)
		if h.Response != nil {
			h.Response.scrub(s)
		}
		if h.Error != "" {
			h.Error = broken
		}
	}
	x.Response.scrub(s)
}

// broken stands for what an error said, which names hosts.
const broken = "broken"

func scrubRequest(r *Request, s *scrubber) {
	r.Body = Text{s.body(r.Body.Bytes(), false)}
	r.shorn()
	for i, h := range r.Headers {
		if strings.EqualFold(h[0], "X-Agent-Label") {
			label := []byte(h[1])
			s.plain(label)
			r.Headers[i][1] = string(label)
		}
	}
}

// shorn takes out again what a recorder leaves out: others, and older ones, left more in.
func (r *Request) shorn() {
	r.Headers = allowed(r.Headers)
	path, query, _ := strings.Cut(r.Path, "?")
	r.Path = pathAndQuery(path, query)
}

// scrub replaces the body as one, and cuts it where it was cut.
func (r *Response) scrub(s *scrubber) {
	r.Headers = allowed(r.Headers)
	body := s.body(r.Body(), r.streamed())
	for i := range r.Chunks {
		n := len(r.Chunks[i].Data)
		r.Chunks[i].Data, body = body[:n:n], body[n:]
	}
	if r.End != "" && r.End != EndWhole && r.End != EndLeft {
		r.End = broken
	}
}

// streamed reports whether the body is an event stream.
func (r *Response) streamed() bool {
	return slices.ContainsFunc(r.Headers, func(h Header) bool {
		return strings.EqualFold(h[0], "Content-Type") && strings.HasPrefix(h[1], "text/event-stream")
	})
}

// body is a body of a session, and where it is.
type body struct {
	at  string
	raw []byte
}

// bodies returns all bodies, in a fixed order.
func (s *Session) bodies() []body {
	var all []body
	for _, x := range s.Exchanges {
		all = append(all, body{x.Place + " client", x.Client.Body.Bytes()})
		for i, h := range x.Upstream {
			all = append(all, body{fmt.Sprintf("%s request %d", x.Place, i+1), h.Request.Body.Bytes()})
			if h.Response != nil {
				all = append(all, body{fmt.Sprintf("%s answer %d", x.Place, i+1), h.Response.Body()})
			}
		}
		all = append(all, body{x.Place + " response", x.Response.Body()})
	}
	return all
}

// prove checks that every two bodies have as many bytes in common after scrubbing as before.
//
// It compares neighbours only, in the sorted order of either list: what two bodies of a
// sorted list have in common is the least that neighbours between them have. So no two of
// the second list can have less in common than in the first, by the first's order, nor more,
// by the second's.
func prove(before, after []body) error {
	for i := range before {
		if len(before[i].raw) != len(after[i].raw) {
			return fmt.Errorf("%w: %s has another length", ErrRelation, before[i].at)
		}
	}
	for _, list := range [][]body{before, after} {
		order := make([]int, len(list))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(list[a].raw, list[b].raw) })
		for k := 1; k < len(order); k++ {
			i, j := order[k-1], order[k]
			if was, now := common(before[i].raw, before[j].raw), common(after[i].raw, after[j].raw); was != now {
				return fmt.Errorf("%w: %s and %s had %d bytes in common, and have %d", ErrRelation, before[i].at, before[j].at, was, now)
			}
		}
	}
	return nil
}

// common is the length of the longest common beginning.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
