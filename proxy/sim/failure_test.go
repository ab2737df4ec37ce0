package sim_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"trunkline/proxy/sim"
)

func TestFailureBeforeTheAnswer(t *testing.T) {
	s, _, url := dial(t, sim.Config{Script: sim.Sequence(map[string][]sim.Answer{"hi": {
		{Fail: &sim.Failure{Status: 429, Header: http.Header{"Retry-After": {"9"}}, Body: `{"detail":"q"}`}},
		{Fail: &sim.Failure{}},
	}})})
	want := []struct {
		status int
		body   string
	}{{429, `{"detail":"q"}`}, {500, `"scripted_failure"`}, {400, `"script_exhausted"`}}
	for _, w := range want {
		res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(streamBody))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != w.status || !strings.Contains(string(b), w.body) {
			t.Errorf("answer %d %s, want %d %s", res.StatusCode, b, w.status, w.body)
		}
		if after := res.Header.Get("Retry-After"); (after == "9") != (w.status == 429) {
			t.Errorf("Retry-After = %q with %d", after, res.StatusCode)
		}
	}
	if st := s.Stats(); st.Replicas[0].Blocks != 0 || st.PromptTokens != 0 {
		t.Errorf("refused prompts entered the cache: %+v", st)
	}
}

func TestBreaks(t *testing.T) {
	answer := func(b sim.Break) sim.Script {
		return func(sim.Request) sim.Answer { return sim.Answer{Text: "a text of a few pieces", Piece: 4, Break: &b} }
	}
	for name, tt := range map[string]struct {
		end    sim.Break
		body   string
		events int    // whole ones that arrive
		tail   string // what the body ends with
		err    error  // of reading the body
	}{
		"clean end":                 {end: sim.Break{After: 3}, body: streamBody, events: 3},
		"end after the headers":     {end: sim.Break{After: 0}, body: streamBody},
		"half an event":             {end: sim.Break{After: 3, How: sim.HalfEvent}, body: streamBody, events: 3, tail: `"created":1700000001,"`},
		"error event":               {end: sim.Break{After: 3, How: sim.ErrorEvent}, body: streamBody, events: 4, tail: `"code":"broken_off"}}` + "\n\n"},
		"scripted error event":      {end: sim.Break{After: 1, How: sim.ErrorEvent, Data: "{}"}, body: streamBody, events: 2, tail: "data: {}\n\n"},
		"reset":                     {end: sim.Break{After: 3, How: sim.Reset}, body: streamBody, events: 3, err: syscall.ECONNRESET},
		"not streamed, short":       {end: sim.Break{}, body: strings.Replace(streamBody, "true", "false", 1), err: io.ErrUnexpectedEOF},
		"not streamed, reset":       {end: sim.Break{How: sim.Reset}, body: strings.Replace(streamBody, "true", "false", 1), err: syscall.ECONNRESET},
		"not streamed, error":       {end: sim.Break{How: sim.ErrorEvent}, body: strings.Replace(streamBody, "true", "false", 1), tail: `"code":"broken_off"}}`},
		"past its end it is whole":  {end: sim.Break{After: 100, How: sim.Reset}, body: streamBody, events: 9, tail: "data: [DONE]\n\n"},
		"the last event can be cut": {end: sim.Break{After: 8}, body: streamBody, events: 8, tail: `"finish_reason":"stop"}]}` + "\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, url := dial(t, sim.Config{Script: answer(tt.end)})
			res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			if !errors.Is(err, tt.err) {
				t.Errorf("reading the body: %v, want %v", err, tt.err)
			}
			if n := strings.Count(string(b), "\n\n"); n != tt.events {
				t.Errorf("%d events, want %d: %q", n, tt.events, b)
			}
			if !strings.HasSuffix(string(b), tt.tail) {
				t.Errorf("body %q does not end with %q", b, tt.tail)
			}
		})
	}
}

func TestBreakBeforeTheHeaders(t *testing.T) {
	for _, how := range []sim.How{sim.EOF, sim.Reset} {
		_, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer { return sim.Answer{Break: &sim.Break{After: -1, How: how}} }})
		if res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(streamBody)); err == nil {
			t.Errorf("got an answer with status %d", res.StatusCode)
			res.Body.Close()
		}
	}
}

func TestBrokenAnswerStaysOutOfTheCache(t *testing.T) {
	for _, after := range []int{3, 100} {
		s, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer {
			return sim.Answer{Text: words("spoken", 1000), Break: &sim.Break{After: after}}
		}})
		post(t, url+"/v1/chat/completions", streamBody)
		if kept := s.Stats().Replicas[0].Blocks > 10; kept != (after == 100) {
			t.Errorf("broken after %d events: kept = %v", after, kept)
		}
	}
}

func TestSilenceLastsUntilTheClientLeaves(t *testing.T) {
	s, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer {
		return sim.Answer{Text: "text", Break: &sim.Break{After: 1, How: sim.Silence}}
	}})
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(streamBody))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
		t.Fatalf("first line %q, %v", line, err)
	}
	res.Body.Close()
	if err := s.Await(t.Context(), func(st sim.Stats) bool { return st.Cancelled == 1 && st.InFlight == 0 }); err != nil {
		t.Fatal(err)
	}
}
