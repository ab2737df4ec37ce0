package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// An event is one step of a recorded session. Replaying them one after another, each once
// the one before has taken effect, keeps the order in which requests overlapped.
type event struct {
	at   int64 // microseconds since the session began
	kind eventKind
	x    int   // exchange, by its place in the session
	hop  int   // of the exchange, for events of the provider
	n    int64 // of gotBytes: how many; of chunk and touch: which

	touch *Touch // of touch
}

type eventKind int

const (
	start           eventKind = iota // the client sends its request
	arrive                           // a request comes to the provider
	head                             // the provider answers: its status and headers
	chunk                            // a part of its answer's body
	finish                           // its answer ends, or it never came
	gotBytes                         // the client has so many bytes of its answer
	leave                            // the client goes away
	touch                            // the proxy reads or writes an agent's record
	over                             // the request is over
	inconsequential                  // none of these
)

// heartbeat is what keeps a held response alive. It comes by the clock, so that a replay
// does not wait for it.
const heartbeat = ": trunkline\n"

// schedule returns what happened in a session, in order.
//
// An answer ends only right before what came of it. Where a recording does not say in which
// order agents' records were read and written, as older ones do not, the one of two answers
// whose result showed first goes first, as a whole.
func (s *Session) schedule() []event {
	if len(s.Exchanges) == 0 {
		return nil
	}
	origin := s.Exchanges[0].Start
	var events []event
	for i, x := range s.Exchanges {
		base, first := x.Start.Sub(origin).Microseconds(), len(events)
		add := func(kind eventKind, at int64, hop int, n int64) {
			events = append(events, event{at: base + at, kind: kind, x: i, hop: hop, n: n})
		}
		add(start, 0, 0, 0)
		for j, h := range x.sent() {
			add(arrive, h.At, j, 0)
			if h.Response == nil {
				add(finish, h.At, j, 0)
				continue
			}
			add(head, h.Response.At, j, 0)
			for k, c := range h.Response.Chunks {
				add(chunk, c.At, j, int64(k))
			}
			add(finish, h.Response.EndAt, j, 0)
		}
		var got int64
		for _, c := range x.Response.Chunks {
			if string(c.Data) == heartbeat {
				continue
			}
			if got += int64(len(c.Data)); got >= x.Response.held() {
				add(gotBytes, c.At, 0, got)
			}
		}
		if x.left() {
			add(leave, x.leftAt(), 0, 0)
		}
		add(over, x.overAt(), 0, 0)
		for k := range x.Records {
			t := &x.Records[k]
			events = append(events, event{at: base + t.At, kind: touch, x: i, touch: t})
		}
		own := events[first:]
		slices.SortStableFunc(own, byTime)
		for k, next := len(own)-1, int64(0); k >= 0; k-- {
			switch own[k].kind {
			case finish:
				own[k].at = next
			case arrive, gotBytes, leave, over, touch:
				next = own[k].at
			}
		}
	}
	return s.causal(events)
}

func byTime(a, b event) int { return cmp.Compare(a.at, b.at) }

// sent returns the requests that reached the provider. One whose connection was never made
// went to another replica instead.
func (x *Exchange) sent() []*Hop {
	var sent []*Hop
	for i := range x.Upstream {
		h := &x.Upstream[i]
		if h.Response != nil || i == len(x.Upstream)-1 || x.Upstream[i+1].Request.Body.Len() != h.Request.Body.Len() {
			sent = append(sent, h)
		}
	}
	return sent
}

// held returns how many bytes are written before the client is sure to have any: all, where it
// knows how many to wait for and they are no stream. When fewer came, it may have none.
func (r *Response) held() int64 {
	if r.streamed() {
		return 0
	}
	for _, h := range r.Headers {
		if strings.EqualFold(h[0], "Content-Length") {
			n, _ := strconv.ParseInt(h[1], 10, 64) // another form has no length
			return n
		}
	}
	return 0
}

// left reports whether the client went away before its answer's end.
func (x *Exchange) left() bool { return x.Usage.Outcome == "client_gone" }

// leftAt is when that was first seen.
func (x *Exchange) leftAt() int64 {
	at := x.overAt()
	if x.Response.End != EndWhole {
		at = min(at, x.Response.EndAt)
	}
	for _, h := range x.Upstream {
		if h.Response != nil && h.Response.End != EndWhole {
			at = min(at, h.Response.EndAt)
		}
	}
	return at
}

func (x *Exchange) overAt() int64 {
	return max(x.Response.EndAt, x.Usage.Took)
}
