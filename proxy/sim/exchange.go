package sim

import (
	"fmt"
	"net/http"
	"time"
)

// epoch is the "created" time before the first request, in Unix seconds.
const epoch = 1_700_000_000

// protocol is one of the APIs that generate: how it asks and how it answers.
type protocol interface {
	parse(*Request) error
	whole(reply) []byte
	events(reply) stream
}

// reply is what a protocol puts into words.
type reply struct {
	id      string
	created int64 // Unix seconds
	model   string
	answer  Answer
	counts  counts
	dialect Dialect
	usage   bool // reported in a stream
}

// generate serves one request from its body to the end of its answer. The error
// is errLeft when the client went away.
func (s *Server) generate(w http.ResponseWriter, r *http.Request, e *Received, p protocol) error {
	ctx := r.Context()
	req := Request{Number: e.Number, Path: r.URL.Path, Header: e.Header, Body: e.Body}
	if err := p.parse(&req); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", err.Error())
		return nil
	}
	if err := s.cfg.Breakpoints.check(req.Items); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", err.Error())
		return nil
	}
	s.place(&req)

	answer := s.cfg.Script(req)
	if answer.Fail != nil {
		if err := pass(ctx, answer.Gates[0]); err != nil {
			return err
		}
		fail(w, answer.Fail)
		return nil
	}
	answer = s.ready(answer, req)

	replica := int(uint(s.cfg.Pick(req)) % uint(len(s.replicas)))
	cache := s.replicas[replica]
	q := render(req, s.cfg.Order)
	points := s.cfg.Breakpoints
	c := counts{prompt: q.tokens, cached: points.read(cache, q)}
	c.written = max(0, points.written(q)-c.cached)
	s.journal.amend(e, func(e *Received) {
		e.Conversation, e.Replica, e.PromptTokens, e.CachedTokens = req.Conversation, replica, c.prompt, c.cached
	})
	if err := pause(ctx, time.Duration(c.prompt-c.cached)*s.cfg.PrefillPerToken); err != nil {
		return err
	}
	points.write(cache, q)
	s.board.update(func(st *Stats) { st.PromptTokens += c.prompt; st.CachedTokens += c.cached })

	renderSpeech(q, answer.Reasoning, answer.Text, answer.Calls)
	c.completion = q.tokens - c.prompt + 1 // the end marker is sampled, not computed
	complete := func() {
		if points == NoBreakpoints {
			cache.add(q.blocks)
		}
		s.board.update(func(st *Stats) { st.CompletionTokens += c.completion })
	}
	out := reply{
		id: fmt.Sprintf("%06d", e.Number), created: epoch + int64(e.Number), model: req.Model,
		answer: answer, counts: c, dialect: s.cfg.Dialect, usage: req.includeUsage || s.cfg.UsageAlways,
	}
	if !req.Stream {
		return sendWhole(ctx, w, answer, p.whole(out), complete)
	}
	st := p.events(out)
	if answer.Frames != nil {
		st = stream{frames: answer.Frames, finish: -1}
	}
	return sendStream(ctx, w, answer, st, complete)
}
