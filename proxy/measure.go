package proxy

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/tools"
)

// measure is the account of one provider request: what of it was sent before, and what the
// provider then said. It only looks on; nothing waits for it but the response's headers.
type measure struct {
	s       *Server
	scope   reuse.Scope
	path    reuse.Path
	shared  reuse.Shared
	lineage string
	fresh   [][]byte // the items that no earlier request had
	sent    time.Time
	usage   prefix.Usage // what the provider has reported so far
	info    StepInfo
	rec     Recording // nil when the request is not recorded
}

// StepInfo describes one provider request.
type StepInfo struct {
	Tenant   string // whose the request is
	Agent    string // id of an identified agent
	Provider string
	Model    string
	Relation Relation
	Status   int // of the provider's answer; 0: none came
	// Taken: the provider took the request. Its status is 2xx, and its answer began with no
	// error. One that it did not take is counted in nothing, for whoever repeats it is.
	Taken bool
	// Traceparent is the client's trace context, as it sent it.
	Traceparent string
	// Completed: the answer was read to its end, and was no error.
	Completed bool
	// Unread: a part of the answer was relayed without being read, since it is too long.
	Unread bool
	// TTFT is from sending the request to the first content of the answer; 0: none came.
	TTFT  time.Duration
	Took  time.Duration
	Bytes int64 // of the head and the items
	// Shared is how many of the bytes were sent to this provider and model before.
	Shared int64
	// Break is where the request leaves what was sent before.
	Break reuse.Break
	Usage prefix.Usage
	// Reuse is the account; meaningful when the request was completed.
	Reuse reuse.Account
	// Repairs counts what went up in the bytes sent before: Repair… kind → items.
	Repairs map[string]int
	// Fork is what became of a fork child's head at its first request; "" otherwise.
	Fork ForkHead
}

// ForkHead says how a fork child's head compares with its parent's.
type ForkHead string

const (
	ForkByteEqual ForkHead = "byte_equal"
	ForkRepaired  ForkHead = "repaired" // equal after its client's other bytes were left out
	ForkDiverged  ForkHead = "diverged"
)

// measure looks a request up among those sent before.
func (s *Server) measure(tenant, model, lineage string, path reuse.Path, items [][]byte, relation Relation) *measure {
	m := &measure{s: s, path: path, lineage: lineage, sent: time.Now()}
	m.scope = reuse.Scope{Tenant: tenant, Provider: s.Provider.Name, Model: model}
	m.shared = s.index.Look(m.scope, path, lineage, m.sent)
	m.fresh = items[max(0, m.shared.Parts-(path.Len()-len(items))):]
	m.info = StepInfo{
		Tenant:   tenant,
		Provider: s.Provider.Name,
		Model:    model,
		Relation: relation,
		Bytes:    path.Bytes(path.Len()),
		Break:    reuse.Explain(path, m.shared),
	}
	m.info.Shared = m.shared.Bytes + int64(m.info.Break.Within)
	return m
}

// show tells the client what its request shares with earlier ones.
func (m *measure) show(h http.Header) {
	h.Set("X-Prefix-Shared-Bytes", strconv.FormatInt(m.info.Shared, 10))
	h.Set("X-Prefix-Total-Bytes", strconv.FormatInt(m.info.Bytes, 10))
	h.Set("X-Prefix-Break", m.info.Break.Cause.String())
}

// note takes in one event, or an answer in one piece, of a request that the provider took.
// The first that brings content counts as the first token: one that only names the role
// comes before the provider has read the prompt, with some engines.
func (m *measure) note(event []byte) {
	if m.info.TTFT == 0 && hasContent(event) {
		m.info.TTFT = time.Since(m.sent)
		m.known(prefix.Count{}) // the prompt was read: whoever comes now can find it warm
	}
	if usage, ok := prefix.EventUsage(event); ok {
		m.usage = m.usage.Merge(usage)
	}
}

// known adds the request to those that were sent before. An answer at its end means that
// the prompt was read, even when there is nothing in it.
func (m *measure) known(tokens prefix.Count) {
	answered := m.info.TTFT > 0 || m.info.Completed
	m.s.index.Add(m.scope, m.path, reuse.Sent{Lineage: m.lineage, Answered: answered, Tokens: tokens}, time.Now())
}

// answered adds the answer behind the request: the provider has that in its cache as well,
// and what comes next begins with it.
func (m *measure) answered(message []byte) {
	path := m.path.Extend([][]byte{message})
	tokens := m.info.Usage.Through(message, m.s.Provider.KeepReasoning)
	m.s.index.Add(m.scope, path, reuse.Sent{Lineage: m.lineage, Answered: true, Output: true, Tokens: tokens}, time.Now())
}

// done closes the account. A request that the provider took is known from now on. What an
// answer that failed reports is no measure of its prompt.
func (m *measure) done(status int, state tools.State) {
	m.info.Status, m.info.Completed = status, status/100 == 2 && state == tools.Complete
	if state != tools.Failed {
		m.info.Usage = m.usage
	}
	m.info.Took = time.Since(m.sent)
	if m.info.Unread {
		m.s.Log.Warn("an answer was relayed in part unread: it is longer than is inspected", "agent", m.info.Agent, "limit_bytes", m.s.EventMax)
	}
	if m.info.Taken {
		m.known(m.info.Usage.Prompt)
	}
	if m.info.Completed {
		if !m.info.Usage.Prompt.Known {
			m.estimate()
		}
		m.info.Reuse = m.s.Provider.For(m.info.Model).Account(m.path, m.shared, m.info.Break, m.info.Usage)
	}
	m.s.api.Measured(m.told())
	if m.rec != nil {
		m.rec.Step(m.info)
	}
	if m.s.Trace.Step != nil {
		m.s.Trace.Step(m.info)
	}
	m.log()
}

// log explains the request to whoever reads along at the level debug. The excerpts, of 20
// bytes at most, are the only text of a prompt that is ever logged, and only there.
func (m *measure) log() {
	i := &m.info
	m.s.Log.Debug("prompt measured",
		"agent", i.Agent, "relation", i.Relation, "model", brief(i.Model), "bytes", i.Bytes, "shared_bytes", i.Shared,
		slog.Group("break", "cause", i.Break.Cause, "segment", i.Break.Segment, "name", brief(i.Break.Name),
			"path", brief(i.Break.Path()), "offset", i.Break.Offset, "was", i.Break.Was, "now", i.Break.Now,
			"avoidable", i.Break.Avoidable()),
		slog.Group("tokens", "prompt", i.Reuse.Prompt, "shared", i.Reuse.Shared, "expected", i.Reuse.Expected,
			"reported", i.Reuse.Reported.N, "known", i.Reuse.Reported.Known, "lost", i.lost()),
		"cause", i.Reuse.Cause)
}

// brief is the beginning of a name: one that a client has made up may be of any length, and
// is a text of its request.
func brief(name string) string {
	const most = 128
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// lost is how many tokens a better request, or a provider that kept them, would have read.
func (i *StepInfo) lost() int64 {
	var lost int64
	for _, l := range i.Reuse.Losses {
		switch l.Cause {
		case prefix.CauseColdStart, prefix.CauseBelowMinimum, prefix.CauseNoBoundary, prefix.CauseUnreported:
			// Nothing that could have been read was computed again, as far as is known.
		default:
			lost += l.Tokens
		}
	}
	return min(lost, max(0, i.Reuse.Prompt-i.Reuse.Reported.N))
}
