package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/agents"
	"trunkline/agents/storetest"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// restarts are the lives of a proxy, one after another on one store, in a bubble of
// testing/synctest.
type restarts struct {
	t        *testing.T
	provider string // name of the profile
	marks    bool   // cache markers are set
	store    agents.Store
	lives    int
	steps    chan proxy.StepInfo
}

// inLives runs a test with a profile whose cache keeps a prompt for five minutes.
func inLives(t *testing.T, test func(r *restarts)) {
	synctest.Test(t, func(t *testing.T) {
		test(&restarts{t: t, provider: "openai", store: storetest.Memory(), steps: make(chan proxy.StepInfo, 8)})
	})
}

// ask posts messages for the agent to a proxy that has just started, in front of a provider
// that answers with this status, and returns the account of it.
func (r *restarts) ask(status int, messages ...string) proxy.StepInfo {
	r.t.Helper()
	profile, err := reuse.Lookup(r.provider)
	if err != nil {
		r.t.Fatal(err)
	}
	r.lives++
	e, stop := newPipeEdge(r.t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		answer := fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}}`, len(body)/4)
		reply(status, "application/json", answer)(w, req)
	}, func(c *proxy.Config) {
		c.Provider, c.Breakpoints = profile, r.marks
		c.Agents = agents.New(agents.Config{Store: r.store, Holder: fmt.Sprint("life ", r.lives)})
		c.Trace.Step = func(i proxy.StepInfo) { r.steps <- i }
	})
	defer stop()
	if a := e.post(`{"model":"m","messages":[`+strings.Join(messages, ",")+`]}`, "X-Agent-Id", "a"); a.err != nil || a.StatusCode != status {
		r.t.Fatalf("error %v, %+v", a.err, a.Response)
	}
	return <-r.steps
}

var (
	instructed = `{"role":"system","content":"` + strings.Repeat("be good and thorough ", 300) + `"}`
	firstAsked = `{"role":"user","content":"go"}`
	answered   = `{"role":"assistant","content":"yes"}`
	thenAsked  = `{"role":"user","content":"go on"}`
)

// TestLifetimeOverARestart: the time counts since the request was sent, whoever sent it.
func TestLifetimeOverARestart(t *testing.T) {
	for pause, want := range map[time.Duration]prefix.Cause{4 * time.Minute: prefix.CauseRouting, 6 * time.Minute: prefix.CauseTTLExpiry} {
		inLives(t, func(r *restarts) {
			first := r.ask(200, instructed, firstAsked)
			time.Sleep(pause)
			next := r.ask(200, instructed, firstAsked, answered, thenAsked)
			if next.Break.Cause != prefix.CauseNone || next.Break.Offset < first.Bytes {
				t.Errorf("after %v: %+v", pause, next.Break)
			}
			if next.Reuse.Cause != want || next.Reuse.Shared < first.Usage.Prompt.N || (next.Reuse.Expected > 0) != (want == prefix.CauseRouting) {
				t.Errorf("after %v: %+v", pause, next.Reuse)
			}
		})
	}
}

// TestRefusedOverARestart: what no provider took is not expected of its cache, though it is
// in the record.
func TestRefusedOverARestart(t *testing.T) {
	for name, rewritten := range map[string][]string{
		"another history": {instructed, `{"role":"user","content":"go elsewhere"}`, `{"role":"assistant","content":"no"}`, thenAsked},
		"another head":    {strings.Replace(instructed, "good", "bad", 1), firstAsked, answered, thenAsked},
	} {
		t.Run(name, func(t *testing.T) {
			inLives(t, func(r *restarts) {
				first := r.ask(200, instructed, firstAsked)
				r.ask(500, rewritten...)
				again := r.ask(200, rewritten...)
				if again.Break.Offset >= first.Bytes {
					t.Errorf("%d bytes are taken for sent, of %d: %+v", again.Break.Offset, first.Bytes, again.Break)
				}
				if next := r.ask(200, append(rewritten, answered, thenAsked)...); next.Break.Cause != prefix.CauseNone || next.Break.Offset < again.Bytes {
					t.Errorf("the next request: %+v, behind %d bytes", next.Break, again.Bytes)
				}
			})
		})
	}
}

// TestBreakpointsOverARestart: the markers that were sent are known again, though none of
// them is in the record.
func TestBreakpointsOverARestart(t *testing.T) {
	for _, marks := range []bool{true, false} {
		inLives(t, func(r *restarts) {
			r.provider, r.marks = "anthropic", marks
			first := r.ask(200, instructed, firstAsked)
			next := r.ask(200, instructed, firstAsked, answered, thenAsked)
			if known := next.Reuse.Expected >= first.Usage.Prompt.N*98/100; known != marks || !marks && next.Reuse.Expected != 0 {
				t.Errorf("with markers %t: %d tokens are expected, %d were sent", marks, next.Reuse.Expected, first.Usage.Prompt.N)
			}
		})
	}
}

// TestOtherProviderOverARestart: what one provider has read is not expected of another.
func TestOtherProviderOverARestart(t *testing.T) {
	inLives(t, func(r *restarts) {
		r.ask(200, instructed, firstAsked)
		r.provider = "deepseek"
		next := r.ask(200, instructed, firstAsked, answered, thenAsked)
		if next.Break.Cause != prefix.CauseColdStart || next.Break.Offset != 0 || next.Reuse.Expected != 0 {
			t.Errorf("%+v, %+v", next.Break, next.Reuse)
		}
	})
}
