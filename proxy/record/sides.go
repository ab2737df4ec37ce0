package record

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"trunkline/prefix"
)

// request is the client of one exchange.
func (p *player) request(ctx context.Context, i int) {
	x := p.played[i]
	defer p.update(func() {
		x.reading = false
		if x.gone == nil {
			x.serving = false // it never reached the proxy
		}
	})
	sent := x.x.Client
	req, err := http.NewRequestWithContext(ctx, sent.Method, p.url, bytes.NewReader(x.x.body()))
	if err != nil {
		return // a method that net/http refuses was never served either
	}
	path, query, _ := strings.Cut(sent.Path, "?")
	req.URL.RawQuery = query
	if unescaped, err := url.PathUnescape(path); err == nil {
		req.URL.Path, req.URL.RawPath = unescaped, path
	}
	for _, h := range sent.Headers {
		switch strings.ToLower(h[0]) {
		case "content-length", "content-encoding": // the recorded body is a decoded one
		default:
			req.Header[http.CanonicalHeaderKey(h[0])] = append(req.Header[http.CanonicalHeaderKey(h[0])], h[1])
		}
	}
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header.Set("User-Agent", "")
	}
	if sent.Tenant > 0 {
		req.Header.Set("Authorization", "Bearer tenant-"+strconv.Itoa(sent.Tenant))
	}
	req.Header.Set(replayHeader, strconv.Itoa(i))
	resp, err := p.client.RoundTrip(req)
	if err != nil {
		return // the proxy's own outcome is in the account
	}
	defer resp.Body.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		p.update(func() { x.got += int64(n) })
		if err != nil {
			return
		}
	}
}

// body is what the client sends. An agent that is made without an id was given one at
// random, which is an input for all that follows: it asks for that one now.
func (x *Exchange) body() []byte {
	sent := x.Client.Body.Bytes()
	if x.Client.Method != http.MethodPost || x.Client.Path != "/agents" || x.Response.Status != http.StatusCreated {
		return sent
	}
	var made struct {
		ID string `json:"id"`
	}
	body, err := prefix.Split(sent)
	if json.Unmarshal(x.Response.Body(), &made) != nil || err != nil || made.ID == "" {
		return sent
	}
	if _, named := body.Field("id"); named {
		return sent
	}
	return bytes.Join(body.Splice([]prefix.Edit{body.Set("id", prefix.Quote(made.ID))}), nil)
}

// edge is the proxy's handler, watched.
func (p *player) edge(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(r.Header.Get(replayHeader))
		if err != nil || i >= len(p.played) {
			http.NotFound(w, r)
			return
		}
		p.update(func() { p.played[i].gone = r.Context().Done() })
		defer p.update(func() { p.played[i].serving = false })
		handler.ServeHTTP(w, r)
	})
}

// provider is the side that answers from the recording.
func (p *player) provider() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(r.Header.Get(replayHeader))
		if err != nil || i >= len(p.played) {
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		x := p.played[i]
		a := &arrival{acts: make(chan event), closed: make(chan struct{})}
		a.request = Request{Method: r.Method, Path: strings.TrimPrefix(r.URL.EscapedPath(), p.base), Body: Text{body}}
		if p.Ask != nil {
			usage, err := p.Ask(r.Context(), a.request.Method, a.request.Path, body)
			a.usage, a.asked = &usage, err
		}
		var hop *Hop
		p.update(func() {
			if n := len(x.arrivals); n < len(x.x.sent()) {
				hop = x.x.sent()[n]
			}
			x.arrivals = append(x.arrivals, a)
		})
		defer func() {
			close(a.closed)
			p.update(func() { a.done++ })
		}()
		if hop == nil {
			http.Error(w, `{"error":{"message":"the recording holds no such request","type":"replay","param":null,"code":"not_recorded"}}`, http.StatusInternalServerError)
			return
		}
		p.answer(w, r, a, hop)
	})
}

// answer gives a recorded answer, at the player's word.
func (p *player) answer(w http.ResponseWriter, r *http.Request, a *arrival, hop *Hop) {
	for {
		var e event
		select {
		case e = <-a.acts:
		case <-r.Context().Done():
			return
		}
		switch e.kind {
		case head:
			for _, h := range hop.Response.Headers {
				w.Header().Add(h[0], h[1])
			}
			if w.Header().Get("Content-Type") == "" {
				w.Header()["Content-Type"] = nil
			}
			w.WriteHeader(hop.Response.Status)
		case chunk:
			w.Write(hop.Response.Chunks[e.n].Data) // a proxy that has left shows in r.Context
		case finish:
			switch {
			case hop.Response == nil || hop.Response.End != EndWhole && hop.Response.End != EndLeft:
				panic(http.ErrAbortHandler)
			case hop.Response.End == EndLeft:
				p.update(func() { a.done++ })
				<-r.Context().Done()
			}
			return
		}
		http.NewResponseController(w).Flush()
		p.update(func() { a.done++ })
	}
}
