package proxy_test

import (
	"io"
	"net/http"
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
