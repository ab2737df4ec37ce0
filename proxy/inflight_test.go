package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"trunkline/proxy"
)

// TestBodiesInFlight fills the memory for bodies with requests that wait for their provider:
// a further one is refused at once, and passes when they have gone. What was refused leaves
// nothing behind.
func TestBodiesInFlight(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		const limit = 5 << 20
		arrived, release := make(chan struct{}), make(chan struct{})
		e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
			arrived <- struct{}{}
			<-release
			reply(200, "application/json", saidJSON("yes"))(w, r)
		}, func(c *proxy.Config) { c.MaxBodies = limit })
		ended, n := make(chan answer, 8), 0
		send := func(size int, framed func(io.Reader) io.Reader) {
			header := []string(nil)
			if n++; who != nil {
				header = []string{"X-Agent-Id", fmt.Sprint("a", n)}
			}
			r := e.request("POST", chat, framed(bytes.NewReader(image(size))), header...)
			go func() { ended <- e.send(r) }()
		}
		served := func() {
			t.Helper()
			if a := <-ended; a.err != nil || a.body != saidJSON("yes") {
				t.Errorf("error %v, %s", a.err, a.body)
			}
			e.outcome() // what it took is given back once it has ended, behind its answer
		}
		sized := func(r io.Reader) io.Reader { return r }
		chunked := func(r io.Reader) io.Reader { return unsized{r} }
		for range 2 {
			send(2<<20, sized)
			<-arrived
			send(2<<20, chunked)
			<-arrived
			for _, framed := range []func(io.Reader) io.Reader{sized, chunked} {
				send(1<<20+100, framed)
				if a := <-ended; a.err != nil || a.StatusCode != 503 || a.Header.Get("X-Trunkline-Error") != "too_many_bodies" || a.Header.Get("Retry-After") != "1" {
					t.Errorf("error %v, %+v, %s", a.err, a.Response, a.body)
				}
				e.outcome()
			}
			send(100, sized) // what fits is let in
			<-arrived
			close(release)
			for range 3 {
				served()
			}
			release = make(chan struct{})
		}
		send(2*limit, chunked) // alone
		<-arrived
		close(release)
		served()
	})
}
