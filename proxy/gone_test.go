package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trunkline/agents"
	"trunkline/proxy"
)

// hang answers with what before says, tells that it has begun, and waits until its client
// is gone; then it says so.
func hang(before http.HandlerFunc, begun, ended chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			before(w, r)
		}
		begun <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	}
}

// TestCase47 lets the client leave at each stage of its request: the provider's request
// ends too.
func TestCase47(t *testing.T) {
	first := stream(delta(`{"role":"assistant","content":"a"}`, ""))
	headers := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
	}
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, saidJSON("yes")[:40])
		w.(http.Flusher).Flush()
	}
	ownCall := stream(delta(calls(own), "tool_calls"), done)
	for name, c := range map[string]struct {
		ask      string
		before   http.HandlerFunc
		later    bool // in the step behind a call of ours
		deferred bool // the client has the headers, and has read what before says
	}{
		"a, before the headers":            {ask: askStream},
		"b, before the first token":        {ask: askStream, before: headers, deferred: true},
		"c, in the stream":                 {ask: askStream, before: first, deferred: true},
		"d, whole, before the headers":     {ask: ask},
		"d, whole, in the body":            {ask: ask, before: half},
		"e, in a continuation":             {ask: askStream, later: true},
		"e, in a continuation, in a event": {ask: askStream, later: true, before: first},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				if c.later && who == nil {
					t.Skip("only an agent's request has a continuation")
				}
				begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
				provider := hang(c.before, begun, ended)
				if c.later {
					provider = script(ownCall, provider)
				}
				e := newEdge(t, provider, withTools)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				r := e.request("POST", chat, strings.NewReader(c.ask), who...).WithContext(ctx)
				left := make(chan error, 1)
				got := make(chan struct{})
				go func() {
					resp, err := e.client.Do(r)
					if err == nil {
						close(got)
						_, err = io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
					left <- err
				}()
				<-begun
				if c.deferred {
					<-got
				}
				leave()
				<-ended
				if err := <-left; err == nil {
					t.Error("the client got a whole answer")
				}
				if o := e.outcome(); o != proxy.OutcomeClientGone {
					t.Errorf("outcome %s", o)
				}
			})
		})
	}
}

// TestCase47f lets the client leave with half of its body sent: nothing goes up where bodies
// are read whole, and where they are not, what went up ends.
func TestCase47f(t *testing.T) {
	half := strings.Repeat(" ", 1<<19)
	for _, framing := range []string{"Content-Length: 1048576\r\n\r\n" + half, fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(half), half)} {
		for _, path := range []string{chat, "/v1/embeddings"} {
			everyone(t, func(t *testing.T, who []string) {
				begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
				e := newEdge(t, nil)
				e.upstream.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					begun <- struct{}{}
					io.Copy(io.Discard, r.Body)
					ended <- struct{}{}
				})
				conn := dialRaw(t, e.URL)
				head := "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				if who != nil {
					head += who[0] + ": " + who[1] + "\r\n"
				}
				io.WriteString(conn, head+framing)
				if path != chat {
					<-begun
				}
				conn.Close()
				if path != chat {
					<-ended
				}
				if o := e.outcome(); o != proxy.OutcomeClientGone {
					t.Errorf("%s: outcome %s", path, o)
				}
				if len(begun) > 0 {
					t.Errorf("%s: the provider got a request", path)
				}
			})
		}
	}
}

// TestBrokenTransferCoding checks that a client that does not keep to its own framing is
// told so, and is no failure of the provider's.
func TestBrokenTransferCoding(t *testing.T) {
	for _, path := range []string{chat, "/v1/embeddings"} {
		e := newEdge(t, reply(200, "application/json", "{}"))
		a := raw(t, e.URL, "POST "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n")
		if !strings.HasPrefix(a, "HTTP/1.1 400 ") || !strings.Contains(a, `"code":"bad_body"`) {
			t.Errorf("%s: %s", path, a)
		}
		if o := e.outcome(); o != proxy.OutcomeRefused {
			t.Errorf("%s: outcome %s", path, o)
		}
	}
}

// TestCase49 cancels 500 streams behind the first event, with readers that go on and with
// readers that have stopped reading: every handler and every provider request ends, and
// nothing is left (see leaksNothing).
func TestCase49(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		flood := delta(`{"content":"`+strings.Repeat("x", 4096)+`"}`, "")
		var ended sync.WaitGroup
		e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
			defer ended.Done()
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, flood); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		})
		const streams, atOnce = 500, 20
		ended.Add(streams)
		next := make(chan int)
		var clients sync.WaitGroup
		for range atOnce {
			clients.Go(func() {
				for i := range next {
					ctx, leave := context.WithCancel(t.Context())
					var header []string
					if who != nil {
						header = []string{"X-Agent-Id", fmt.Sprint("a", i%50)}
					}
					resp, err := e.client.Do(e.request("POST", chat, strings.NewReader(askStream), header...).WithContext(ctx))
					if err != nil {
						t.Error(err)
						leave()
						continue
					}
					io.ReadFull(resp.Body, make([]byte, 100))
					if i%2 == 0 {
						leave() // else the connection goes with bytes unread
					}
					resp.Body.Close()
					leave()
				}
			})
		}
		for i := range streams {
			next <- i
		}
		close(next)
		clients.Wait()
		for range streams {
			if o := e.outcome(); o != proxy.OutcomeClientGone {
				t.Errorf("outcome %s", o)
			}
		}
		ended.Wait()
	})
}

// TestShutdownIsTold checks that a request that the proxy cuts is not taken for one whose
// client left.
func TestShutdownIsTold(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		begun, ended := make(chan struct{}, 1), make(chan struct{}, 1)
		e := newEdge(t, hang(nil, begun, ended))
		handler := newHandler(t, proxy.Config{Upstreams: []string{e.upstream.URL}})
		ctx, cut := context.WithCancelCause(t.Context())
		w, served := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(served)
			handler.ServeHTTP(w, e.request("POST", chat, strings.NewReader(askStream), who...).WithContext(ctx))
		}()
		<-begun
		cut(fmt.Errorf("the proxy shuts down"))
		<-served
		<-ended
		if w.Code != 503 || !strings.Contains(w.Body.String(), `"code":"shutting_down"`) || w.Header().Get("Retry-After") == "" {
			t.Errorf("status %d, body %s", w.Code, w.Body)
		}
	})
}

// leaving is a store whose n-th commit the client does not outlast.
type leaving struct {
	agents.Store
	n     atomic.Int64
	leave func()
}

func (s *leaving) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	version, err := s.Store.Commit(ctx, key, change)
	if s.n.Add(-1) == 0 {
		s.leave()
	}
	return version, err
}

// justClosed takes everything, as a connection does that was just closed, and keeps what was
// written before.
type justClosed struct {
	*httptest.ResponseRecorder
	ctx context.Context
}

func (w justClosed) Write(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return len(b), nil
	}
	return w.ResponseRecorder.Write(b)
}

// TestClientLeavesBeforeTheEnd: a client that has left before the end of its answer is written
// has not got it, though a write to its connection may succeed. Its retry is given the answer
// that is on record, and what that has sent is not sent again.
func TestClientLeavesBeforeTheEnd(t *testing.T) {
	send := `{"index":0,"id":"c1","type":"function","function":{"name":"send_message","arguments":"{\"agent_id\":\"root\",\"message\":\"found it\"}"}}`
	for form, answers := range map[string]struct {
		ask        string
		call, last http.HandlerFunc
	}{
		"stream": {askStream, stream(delta(calls(send), "tool_calls"), done), stream(said("yes")...)},
		"whole":  {ask, reply(200, "application/json", answers(`{"role":"assistant","content":null,"tool_calls":[`+send+`]}`, "tool_calls", "")), reply(200, "application/json", saidJSON("yes"))},
	} {
		for n, over := 1, false; !over; n++ {
			ctx, leave := context.WithCancel(t.Context())
			store := &leaving{leave: leave}
			e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if text := string(body); strings.Contains(text, "have you") || strings.Contains(text, "message delivered") {
					answers.last(w, r)
				} else {
					answers.call(w, r)
				}
			}, withTools, func(c *proxy.Config) {
				store.Store = c.Agents.Store
				c.Agents = agents.New(agents.Config{Store: store, Holder: "test"})
			})
			e.post(body("s", "", "", prompt("have you")), "X-Agent-Id", "root").ok(t)
			e.outcome() // all that is put on record behind its answer is there
			store.n.Store(int64(n))
			kid := func() *http.Request {
				return e.request("POST", chat, strings.NewReader(answers.ask), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root", "X-Agent-Mode", "spawn")
			}
			got := justClosed{httptest.NewRecorder(), ctx}
			func() {
				defer func() { _ = recover() }() // the transfer is broken off
				e.handler.ServeHTTP(got, kid().WithContext(ctx))
			}()
			over = ctx.Err() == nil
			e.send(kid()).ok(t)
			e.post(body("s", "", "", prompt("have you"), assistant("yes"), prompt("more")), "X-Agent-Id", "root").ok(t)
			has := strings.Contains(got.Body.String(), `"finish_reason":"stop"`) // then it asks for another one
			if read := strings.Count(string(e.last().body), "found it"); !over && !has && read != 1 {
				t.Errorf("%s: the client leaves at commit %d, and its message is read %d times", form, n, read)
			}
			leave()
		}
	}
}
