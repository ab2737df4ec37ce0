package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/proxy"
)

// inTime runs a test in time that passes only while everybody waits.
func inTime(t *testing.T, test func(t *testing.T, who []string)) {
	everyone(t, func(t *testing.T, who []string) {
		synctest.Test(t, func(t *testing.T) { test(t, who) })
	})
}

// slowly is stream with a pause before each piece.
func slowly(pause time.Duration, pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for _, p := range pieces {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
			io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

// TestCase48Live checks that nothing cuts a stream that lives, however long it takes: not
// the whole of it, not its silences, not the end of one.
func TestCase48Live(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		var events []string
		for range 20 {
			events = append(events, delta(`{"content":"a"}`, ""))
		}
		events = append(events, strings.Join(said("yes"), ""))
		events = append(events, "") // silence before the end of the body
		e, stop := newPipeEdge(t, slowly(4*time.Minute, events...))
		defer stop()
		began := time.Now()
		a := e.post(askStream, who...)
		if a.err != nil || a.body != strings.Join(events, "") {
			t.Errorf("after %v: error %v, body %s", time.Since(began), a.err, a.body)
		}
		if o := e.outcome(); o != proxy.OutcomeOK {
			t.Errorf("outcome %s", o)
		}
	})
}

// TestCase48LongPrefill checks that headers may take as long as a prefill.
func TestCase48LongPrefill(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		e, stop := newPipeEdge(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(9 * time.Minute)
			reply(200, "application/json", saidJSON("yes"))(w, r)
		})
		defer stop()
		if a := e.post(ask, who...); a.err != nil || a.body != saidJSON("yes") {
			t.Errorf("error %v, %+v", a.err, a.Response)
		}
	})
}

// TestCase48Silent checks that an answer that falls silent ends after its bound, as one
// that broke, and that the provider's request ends with it.
func TestCase48Silent(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		events := []string{delta(`{"content":"a"}`, ""), delta(`{"content":"b"}`, ""), delta(`{"content":"c"}`, "")}
		e, stop := newPipeEdge(t, hang(stream(events...), begun, ended), func(c *proxy.Config) { c.IdleTimeout = time.Minute })
		defer stop()
		began := time.Now()
		a := e.post(askStream, who...)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		<-ended
		said, code, _ := strings.Cut(a.body, `data: {"error"`)
		if a.err == nil || said != strings.Join(events, "") || who != nil && !strings.Contains(code, `"code":"upstream_timeout"`) {
			t.Errorf("error %v, body %s", a.err, a.body)
		}
		if o := e.outcome(); o != proxy.OutcomeIncomplete {
			t.Errorf("outcome %s", o)
		}
	})
}

// TestCase48SilentWhole checks the same for an answer in one piece: an agent's client, whose
// answer is held until it is whole, gets 504.
func TestCase48SilentWhole(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		half := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
		}
		e, stop := newPipeEdge(t, hang(half, begun, ended))
		defer stop()
		a := e.post(ask, who...)
		<-ended
		if who == nil && a.err == nil || who != nil && a.StatusCode != 504 {
			t.Errorf("error %v, %+v, %s", a.err, a.Response, a.body)
		}
	})
}

// TestCase48NoHeaders checks the bound on the wait for an answer to begin, also for a
// provider that does not even take the request.
func TestCase48NoHeaders(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		up := newPipes()
		e, stop := newPipeEdgeTo(t, up)
		defer stop()
		defer up.Close()
		for _, reads := range []bool{true, false} {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				conn, err := up.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				if reads {
					io.Copy(io.Discard, conn)
					conn.Close()
					return
				}
				<-up.closed
				conn.Close()
			}()
			began := time.Now()
			a := e.post(ask, who...)
			if took := time.Since(began); a.err != nil || a.StatusCode != 504 || a.Header.Get("X-Trunkline-Error") != "upstream_timeout" || took != 10*time.Minute {
				t.Errorf("reads %v: after %v error %v, %+v, %s", reads, took, a.err, a.Response, a.body)
			}
			if o := e.outcome(); o != proxy.OutcomeUpstream {
				t.Errorf("reads %v: outcome %s", reads, o)
			}
			if reads {
				<-ended
			}
		}
	})
}

// TestClientThatDoesNotRead checks that a client that stops reading does not keep its
// provider's request for ever.
func TestClientThatDoesNotRead(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		ended := make(chan struct{})
		e, stop := newPipeEdge(t, func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := io.WriteString(w, delta(`{"content":"`+strings.Repeat("x", 4096)+`"}`, "")); err != nil {
					return
				}
			}
		})
		defer stop()
		resp, err := e.client.Do(e.request("POST", chat, strings.NewReader(askStream), who...))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		<-ended
		if o := e.outcome(); o != proxy.OutcomeClientGone {
			t.Errorf("outcome %s", o)
		}
	})
}

// TestHeartbeats checks when a held response shows that it lives: while the step behind a
// call of ours waits, and while such a call is long in coming; and that it is silent at the
// first step, where the client waits for the provider.
func TestHeartbeats(t *testing.T) {
	const beat = ": trunkline\n"
	callPieces := []string{delta(calls(`{"index":0,"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{"}}`), "")}
	for range 5 {
		callPieces = append(callPieces, delta(calls(`{"index":0,"function":{"arguments":" "}}`), ""))
	}
	callPieces = append(callPieces, delta(calls(`{"index":0,"function":{"arguments":"}"}}`), ""), delta(`{}`, "tool_calls"), done)
	text := delta(`{"role":"assistant","content":"a"}`, "")
	late := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(40 * time.Second)
		slowly(20*time.Second, strings.Join(said("yes"), ""))(w, r)
	}
	for name, c := range map[string]struct {
		provider http.HandlerFunc
		want     []int // beats before each event with data
	}{
		"first step": {late, []int{0, 0, 0}},
		// 40 s to the headers and 20 s from there to the first event; none between events.
		"held":          {script(stream(text, delta(calls(own), "tool_calls"), done), late), []int{0, 3, 0, 0}},
		"long own call": {script(slowly(10*time.Second, append([]string{text}, callPieces...)...), stream(said("yes")...)), []int{0, 4, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, stop := newPipeEdge(t, c.provider, withTools)
				defer stop()
				a := e.post(askStream, "X-Agent-Id", "a")
				var got []int
				events := strings.Split(strings.TrimSuffix(a.body, "\n\n"), "\n\n")
				for _, ev := range events {
					got = append(got, strings.Count(ev, beat))
					if !strings.HasPrefix(strings.ReplaceAll(ev, beat, ""), "data: ") {
						t.Errorf("not at a boundary: %q", ev)
					}
				}
				if a.err != nil || len(got) != len(c.want) {
					t.Fatalf("error %v, events %q", a.err, events)
				}
				for i := range got {
					if got[i] != c.want[i] {
						t.Errorf("beats %v, want %v", got, c.want)
						break
					}
				}
			})
		})
	}
}
