package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
)

// BenchmarkTurn is one more turn of an agent with a long history, from the client's request
// to the end of its answer, against an anonymous client with the same body: what pinning,
// aligning, recording and measuring cost.
func BenchmarkTurn(b *testing.B) {
	for _, items := range []int{10, 1_000, 10_000} {
		for _, id := range []string{"", "root"} {
			kind := "anonymous"
			if id != "" {
				kind = "agent"
			}
			b.Run(fmt.Sprintf("items=%d/%s", items, kind), func(b *testing.B) { benchTurn(b, items, id) })
		}
	}
}

func benchTurn(b *testing.B, items int, id string) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`)
	}))
	defer up.Close()
	store, err := boltstore.Open(filepath.Join(b.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	handler, err := proxy.New(proxy.Config{
		Upstreams: []string{up.URL},
		Agents:    agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:     []string{"send_message"},
	})
	if err != nil {
		b.Fatal(err)
	}
	front := httptest.NewServer(handler)
	defer front.Close()

	var history bytes.Buffer
	history.WriteString(`{"model":"m","messages":[{"role":"system","content":"s"}`)
	text := bytes.Repeat([]byte("word "), 40)
	for i := range items / 2 {
		fmt.Fprintf(&history, `,{"role":"user","content":"%d %s"},{"role":"assistant","content":"%s"}`, i, text, text)
	}
	turn := func() {
		body := fmt.Appendf(history.Bytes(), `,{"role":"user","content":"next"}]}`)
		r, _ := http.NewRequest("POST", front.URL+"/v1/chat/completions", bytes.NewReader(body))
		if id != "" {
			r.Header.Set("X-Agent-Id", id)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 {
			b.Fatal(resp.Status)
		}
		history.WriteString(`,{"role":"user","content":"next"},{"role":"assistant","content":"fine"}`)
	}
	turn()
	b.SetBytes(int64(history.Len()))
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}
