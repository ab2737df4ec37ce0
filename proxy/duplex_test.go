package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAnswerBeforeTheBodyEnds lets a provider answer while it is still being sent to, where
// bodies are not read first: both go on to their end.
func TestAnswerBeforeTheBodyEnds(t *testing.T) {
	e := newEdge(t, nil)
	e.upstream.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		io.Copy(w, r.Body)
	})
	body, more := io.Pipe()
	r := e.request("POST", "/v1/audio/transcriptions", body)
	go io.WriteString(more, "a")
	resp, err := e.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, len("first "))
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	io.WriteString(more, "b")
	more.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || string(first)+string(rest) != "first ab" {
		t.Errorf("error %v, %q", err, string(first)+string(rest))
	}
}

// TestUploadLeavesItsConnection checks that a body which is relayed unread, and comes whole,
// leaves its connection to the next request.
func TestUploadLeavesItsConnection(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
	for _, framed := range []io.Reader{bytes.NewReader(image(1 << 20)), unsized{bytes.NewReader(image(1 << 20))}, strings.NewReader(ask), http.NoBody} {
		if a := e.send(e.request("POST", "/v1/audio/transcriptions", framed)); a.err != nil || a.StatusCode != 200 || a.Close {
			t.Errorf("%T: error %v, %+v", framed, a.err, a.Response)
		}
	}
}
