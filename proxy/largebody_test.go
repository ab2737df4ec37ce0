package proxy_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"trunkline/proxy"
)

// image is a body of about n bytes with one picture in it.
func image(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"m1","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`)
	b.Write(bytes.Repeat([]byte("iVBORw0KGgo+/A8="), n/16))
	b.WriteString(`"}}]}]}`)
	return b.Bytes()
}

// unsized hides a body's length, so that it is sent chunked.
type unsized struct{ io.Reader }

// TestCase45 sends a 20 MiB body with and without its length, eight at once each, and looks
// at the memory while all eight wait for the provider: about one body each. The provider
// hashes and keeps nothing.
func TestCase45(t *testing.T) {
	body := image(20 << 20)
	want := sha256.Sum256(body)
	for name, framed := range map[string]func() io.Reader{
		"sized":   func() io.Reader { return bytes.NewReader(body) },
		"chunked": func() io.Reader { return unsized{bytes.NewReader(body)} },
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				const clients = 8
				arrived, release := make(chan [32]byte, clients), make(chan struct{})
				provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					sum := sha256.New()
					io.Copy(sum, r.Body)
					arrived <- [32]byte(sum.Sum(nil))
					<-release
					reply(200, "application/json", saidJSON("yes"))(w, r)
				}))
				defer provider.Close()
				e := newEdge(t, nil, func(c *proxy.Config) { c.Upstreams = []string{provider.URL} })
				before := heap()
				answers := make(chan answer, clients)
				for i := range clients {
					var header []string
					if who != nil {
						header = []string{"X-Agent-Id", fmt.Sprint("a", i)}
					}
					go func() { answers <- e.send(e.request("POST", chat, framed(), header...)) }()
				}
				for range clients {
					if got := <-arrived; got != want {
						t.Error("the provider got other bytes")
					}
				}
				each := float64(heap()-before) / clients / float64(len(body))
				t.Logf("%.2f bodies in memory for each request", each)
				if each > 1.3 {
					t.Errorf("%.2f bodies in memory for each request", each)
				}
				close(release)
				for range clients {
					if a := <-answers; a.err != nil || a.body != saidJSON("yes") {
						t.Errorf("error %v, body %s", a.err, a.body)
					}
				}
			})
		})
	}
}

// heap is the memory in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBodyLimit checks the limit at its edge, for bodies of known and unknown length.
func TestBodyLimit(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		for _, limit := range []int{1 << 10, 3 << 20} {
			fits := append([]byte(ask), bytes.Repeat([]byte(" "), limit-len(ask))...)
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) { c.MaxBody = int64(limit) })
			for _, framed := range []func([]byte) io.Reader{
				func(b []byte) io.Reader { return bytes.NewReader(b) },
				func(b []byte) io.Reader { return unsized{bytes.NewReader(b)} },
			} {
				if a := e.send(e.request("POST", chat, framed(fits), who...)); a.StatusCode != 200 {
					t.Errorf("%d bytes of %d: status %d", len(fits), limit, a.StatusCode)
				}
				a := e.send(e.request("POST", chat, framed(append(fits, ' ')), who...))
				if a.err != nil || a.StatusCode != 413 || a.Header.Get("X-Trunkline-Error") != "body_too_large" {
					t.Errorf("%d bytes of %d: error %v, %s", limit+1, limit, a.err, a.body)
				}
			}
		}
	})
}

// TestDeclaredLengthIsNotBelieved opens connections that declare large bodies and send none
// of them: they cost next to nothing.
func TestDeclaredLengthIsNotBelieved(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
	before := heap()
	const clients = 32
	for range clients {
		conn := dialRaw(t, e.URL)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", chat, 60<<20)
		// The server asks for the body once the buffer for it stands.
		line := make([]byte, len("HTTP/1.1 100 Continue"))
		if _, err := io.ReadFull(conn, line); err != nil || string(line) != "HTTP/1.1 100 Continue" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	if used := heap() - before; used > clients*2<<20 {
		t.Errorf("%d MiB for %d requests that sent nothing", used>>20, clients)
	}
}

// TestLargeAnswers checks that a large answer comes through whole, concurrently with others.
func TestLargeAnswers(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		large := saidJSON(string(bytes.Repeat([]byte("x"), 5<<20)))
		e := newEdge(t, reply(200, "application/json", large))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if a := e.post(ask, who...); a.err != nil || a.body != large {
					t.Errorf("error %v, %d bytes, want %d", a.err, len(a.body), len(large))
				}
			})
		}
		all.Wait()
	})
}
