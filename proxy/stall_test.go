package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trunkline/proxy"
)

// TestStalledUpload lets clients fall silent within the body of a request: each gets 408
// after a minute, whatever the body is for, and the provider's request ends.
func TestStalledUpload(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		for _, path := range []string{chat, "/v1/responses", "/v1/embeddings", "/agents"} {
			for _, sized := range []bool{true, false} {
				e, stop := newPipeEdge(t, reply(200, "application/json", saidJSON("yes")))
				framing := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(ask), ask[:20])
				if !sized {
					framing = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", 20, ask[:20])
				}
				head := "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
				if who != nil {
					head += who[0] + ": " + who[1] + "\r\n"
				}
				conn := e.dial()
				began := time.Now()
				io.WriteString(conn, head+framing)
				got, err := io.ReadAll(conn)
				if took := time.Since(began); err != nil || took != time.Minute || !strings.HasPrefix(string(got), "HTTP/1.1 408 ") || !strings.Contains(string(got), "\r\nX-Trunkline-Error: body_timeout\r\n") {
					t.Errorf("%s: after %v error %v, %s", path, took, err, got)
				}
				if path != "/agents" {
					if o := e.outcome(); o != proxy.OutcomeRefused {
						t.Errorf("%s: outcome %s", path, o)
					}
				}
				stop()
			}
		}
	})
}

// TestStalledUploadOfARefusedRequest lets a client fall silent within a body that nobody
// wants: the server does not wait for the rest of it for ever.
func TestStalledUploadOfARefusedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, stop := newPipeEdge(t, reply(200, "application/json", saidJSON("yes")))
		defer stop()
		half, more := io.Pipe()
		defer more.Close()
		go io.WriteString(more, ask[:20])
		a := e.send(e.request("POST", chat, half, "X-Agent-Id", "no such id"))
		if a.err != nil || a.StatusCode != 400 {
			t.Errorf("error %v, %+v, %s", a.err, a.Response, a.body)
		}
	})
}

// TestSlowUpload sends a body a byte at a time, and lets the answer take its time too: only
// silence within the body counts, not its length, and not what comes behind it.
func TestSlowUpload(t *testing.T) {
	inTime(t, func(t *testing.T, who []string) {
		for _, path := range []string{chat, "/v1/embeddings"} {
			answer := strings.Join(said("yes"), "")
			e, stop := newPipeEdge(t, slowly(4*time.Minute, answer))
			body, more := io.Pipe()
			go func() {
				defer more.Close()
				for i := range len(askStream) {
					time.Sleep(50 * time.Second)
					io.WriteString(more, askStream[i:i+1])
				}
			}()
			if a := e.send(e.request("POST", path, body, who...)); a.err != nil || a.body != answer {
				t.Errorf("%s: error %v, %+v, %s", path, a.err, a.Response, a.body)
			}
			stop()
		}
	})
}

// TestEventsOutliveABody checks that a body which a call has no use for does not bound its
// answer.
func TestEventsOutliveABody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, stop := newPipeEdge(t, reply(200, "application/json", saidJSON("yes")))
		defer stop()
		e.post(ask, "X-Agent-Id", "a").ok(t)
		resp, err := e.client.Do(e.request("GET", "/agents/a/events", strings.NewReader("{}")))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		began, buf := time.Now(), make([]byte, 4096)
		for time.Since(began) < 5*time.Minute { // beats come every 15 s
			if _, err := resp.Body.Read(buf); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("after %v: status %d, %v", time.Since(began), resp.StatusCode, err)
			}
		}
	})
}

// TestStalledUploadBehindItsAnswer lets a provider answer a request whose client then falls
// silent within the body: the connection ends, so that what may still come of the body is
// never read as a request.
func TestStalledUploadBehindItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := newPipes()
		e, stop := newPipeEdgeTo(t, up)
		defer stop()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).EnableFullDuplex()
			reply(200, "application/json", saidJSON("yes"))(w, r)
			w.(http.Flusher).Flush()
			io.Copy(io.Discard, r.Body)
		})}
		defer server.Close()
		go server.Serve(up)
		conn := e.dial()
		fmt.Fprintf(conn, "POST /v1/embeddings HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nhalf")
		got, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200 ") || !strings.Contains(string(got), "\r\nConnection: close\r\n") {
			t.Errorf("error %v, %s", err, got)
		}
	})
}
