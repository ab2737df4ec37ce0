package proxy_test

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/proxy"
)

// TestNothingIsSentTwice puts the proxy before a provider that answers one request and then
// takes each further one without a word and closes: no client's headers make the transport
// send it again, with a body or without one, and the client is told.
func TestNothingIsSentTwice(t *testing.T) {
	for _, path := range append(routes, "/v1/batches/x/cancel") {
		everyone(t, func(t *testing.T, who []string) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
			var requests atomic.Int32
			keys := make(chan string, 8)
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						in := bufio.NewReader(conn)
						for {
							r, err := http.ReadRequest(in)
							if err != nil {
								return
							}
							r.Body.Close()
							if requests.Add(1) > 1 {
								keys <- r.Header.Get("Idempotency-Key") + r.Header.Get("X-Idempotency-Key")
								return
							}
							// The connection goes to the pool: only a used one is tried again.
							conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"))
						}
					}()
				}
			}()
			e := newEdge(t, nil, func(c *proxy.Config) { c.Upstreams = []string{"http://" + listener.Addr().String()} })
			if a := e.send(e.request("GET", "/v1/models", nil)); a.StatusCode != 200 {
				t.Fatalf("status %d: %s", a.StatusCode, a.body)
			}
			body := ask
			if strings.HasSuffix(path, "cancel") {
				body = ""
			}
			header := append([]string{"Idempotency-Key", "k", "X-Idempotency-Key", "x"}, who...)
			a := e.send(e.request("POST", path, strings.NewReader(body), header...))
			if a.err != nil || a.StatusCode != 502 || a.Header.Get("X-Trunkline-Error") != "upstream_unreachable" {
				t.Errorf("%s: error %v, %+v, body %s", path, a.err, a.Response, a.body)
			}
			if n := requests.Load(); n != 2 {
				t.Errorf("%s: the provider saw %d requests, want 2", path, n)
			}
			if key := <-keys; key != "kx" {
				t.Errorf("%s: the provider got the keys %q", path, key)
			}
		})
	}
}

// TestCase54 breaks an answer off, behind a part of it and before its headers: the proxy asks
// nobody a second time, neither that replica nor the other one, and the client has the part
// once. That holds for what went before it in the same answer, too: a call of ours that was
// carried out stays so.
func TestCase54(t *testing.T) {
	part := delta(`{"role":"assistant"}`, "") + delta(`{"content":"Hel"}`, "")
	whole := stream(said("Hello")...)
	// Each replica has its own script, so that it does not matter which one is asked.
	twice := func(t *testing.T, steps ...http.HandlerFunc) (e *edge, both func() int) {
		other := newEdge(t, script(steps...))
		other.upstream.Config.SetKeepAlivesEnabled(false) // it outlives what the other edge is checked for
		e = newEdge(t, script(steps...), withTools, func(c *proxy.Config) { c.Upstreams = append(c.Upstreams, other.upstream.URL) })
		return e, func() int { return len(e.sent()) + len(other.sent()) }
	}
	everyone(t, func(t *testing.T, who []string) {
		for name, first := range map[string]http.HandlerFunc{
			"in the stream":      abort(stream(part)),
			"behind the headers": abort(stream("")),
			"before the headers": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			t.Run(name, func(t *testing.T) {
				e, both := twice(t, first, whole)
				a := e.post(askStream, who...)
				broken := a.err != nil || a.StatusCode == 502
				if n := both(); n != 1 || !broken || strings.Count(a.body, `"Hel`) != btoi(name == "in the stream") || strings.Contains(a.body, "[DONE]") {
					t.Errorf("%d requests went up; error %v, the client got %s", n, a.err, a.body)
				}
				if a := e.post(askStream, who...); a.err != nil || a.body != strings.Join(said("Hello"), "") || both() != 2 {
					t.Errorf("asked again: %d requests, error %v, the client got %s", both(), a.err, a.body)
				}
			})
		}
	})
	t.Run("behind a call of ours", func(t *testing.T) {
		e, both := twice(t, stream(delta(calls(own), "tool_calls"), done), abort(stream(part)), whole)
		a := e.post(askStream, "X-Agent-Id", "a")
		if n := both(); n != 2 || a.err == nil || strings.Count(a.body, `"Hel`) != 1 || strings.Contains(a.body, "[DONE]") {
			t.Errorf("%d requests went up; error %v, the client got %s", n, a.err, a.body)
		}
		// The client's own retry goes on behind the call.
		if a := e.post(askStream, "X-Agent-Id", "a"); a.err != nil || strings.Count(a.body, "Hello") != 1 || both() != 3 {
			t.Errorf("asked again: %d requests, error %v, the client got %s", both(), a.err, a.body)
		}
	})
}

// TestDeadReplicaIsSkipped checks that a replica that cannot be reached costs no request.
func TestDeadReplicaIsSkipped(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		dead, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		dead.Close()
		for _, first := range []bool{true, false} {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) {
				gone := "http://" + dead.Addr().String()
				if c.Upstreams = append(c.Upstreams, gone); first {
					c.Upstreams = []string{gone, c.Upstreams[0]}
				}
			})
			for range 3 {
				if a := e.post(ask, who...); a.StatusCode != 200 || a.body != saidJSON("yes") {
					t.Errorf("status %d: %s", a.StatusCode, a.body)
				}
			}
		}
	})
}

// TestUnreachable checks what a client is told when no provider can be reached.
func TestUnreachable(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		e := newEdge(t, nil)
		e.upstream.Close()
		for _, path := range routes {
			a := e.send(e.request("POST", path, strings.NewReader(askStream), who...))
			if a.StatusCode != 502 || a.Header.Get("X-Trunkline-Error") != "upstream_unreachable" || !strings.HasPrefix(a.body, `{"error":{`) {
				t.Errorf("%s: status %d, body %s", path, a.StatusCode, a.body)
			}
			if o := e.outcome(); o != proxy.OutcomeUpstream {
				t.Errorf("%s: outcome %s", path, o)
			}
		}
	})
}
