package e2e

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// tap stands between a client and what serves it, so that the client keeps one
// address and what it really sent is known. It changes nothing.
type tap struct {
	url string

	mu     sync.Mutex
	target *url.URL
	sent   map[string][]sent // story → its requests, in order
}

// sent is one request as the client made it.
type sent struct {
	path string // with the query
	body string
}

func startTap(t *testing.T) *tap {
	t.Helper()
	p := &tap{sent: map[string][]sent{}}
	relay := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			p.mu.Lock()
			defer p.mu.Unlock()
			r.SetURL(p.target)
		},
		// Broken in front is broken behind: nothing of the tap's own.
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		p.mu.Lock()
		story := r.Header.Get("X-Story")
		p.sent[story] = append(p.sent[story], sent{r.URL.RequestURI(), string(body)})
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		relay.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// to lets what comes from now on go to base, a URL without a path.
func (p *tap) to(t *testing.T, base string) {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// requests are those that the client made in a story, so far.
func (p *tap) requests(story string) []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[story]
}
