package record

import "iter"

// span is a time in which the proxy worked on an exchange and nothing of that was recorded:
// from a request's coming, or an answer's end, to what came of it.
type span struct {
	x        int // exchange
	hop      int // the request to the provider that it ends with; -1: none
	from, to int64
}

// meets returns, for each request to the provider, another exchange that may have come before
// it or behind it: {exchange, hop} → exchange. It is one that the proxy worked on at the same
// time, or else the latest of two that met before. Requests of nobody and of other tenants
// have no effect on one another.
func (s *Session) meets() map[[2]int]int {
	met := map[[2]int]int{}
	last := map[int]int{} // tenant → one of the last two that met
	var spans []span
	for a := range s.spans() {
		tenant := s.Exchanges[a.x].Client.Tenant
		// Spans come in the order of their ends: those that reach into this one are the last.
		for k := len(spans) - 1; k >= 0 && spans[k].to > a.from; k-- {
			if b := spans[k]; b.x != a.x && s.Exchanges[b.x].Client.Tenant == tenant {
				met[[2]int{a.x, a.hop}], met[[2]int{b.x, b.hop}] = b.x, a.x
				last[tenant] = b.x
			}
		}
		if other, ok := last[tenant]; ok {
			if _, direct := met[[2]int{a.x, a.hop}]; !direct {
				met[[2]int{a.x, a.hop}] = other
			}
		}
		spans = append(spans, a)
	}
	return met
}

// spans yields what agents' exchanges were worked on, in the order of the ends.
func (s *Session) spans() iter.Seq[span] {
	return func(yield func(span) bool) {
		open := map[int]int64{} // exchange → since when its span is open
		for _, e := range s.schedule() {
			switch e.kind {
			case start:
				open[e.x] = e.at
			case finish:
				open[e.x] = s.finished(e)
			case arrive, gotBytes, leave, over:
				from, ok := open[e.x]
				if !ok || s.Exchanges[e.x].agent() == "" {
					continue
				}
				delete(open, e.x)
				hop := -1
				if e.kind == arrive {
					hop = e.hop
				}
				if !yield(span{e.x, hop, from, e.at}) {
					return
				}
			}
		}
	}
}

// finished is when an answer ended, on the clock of the session.
func (s *Session) finished(e event) int64 {
	x := s.Exchanges[e.x]
	at := x.Start.Sub(s.Exchanges[0].Start).Microseconds()
	if h := x.sent()[e.hop]; h.Response != nil {
		return at + h.Response.EndAt
	}
	return e.at
}
