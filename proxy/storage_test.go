package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/proxy"
	"trunkline/proxy/sim"
)

// ledger counts the bytes that stand in a store: records and blobs, keys included.
type ledger struct {
	agents.Store
	mu    sync.Mutex
	sizes map[string]int // record or blob → bytes
}

func (l *ledger) Commit(ctx context.Context, key agents.Key, c agents.Change) (uint64, error) {
	v, err := l.Store.Commit(ctx, key, c)
	if err != nil {
		return v, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sizes[key.ID] = len(key.ID) + len(c.Data)
	for _, b := range c.Put {
		l.sizes[key.ID+"/"+b.ID] = len(b.ID) + len(b.Data)
	}
	for _, id := range c.Drop {
		delete(l.sizes, key.ID+"/"+id)
	}
	return v, nil
}

func (l *ledger) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	for _, n := range l.sizes {
		sum += n
	}
	return sum
}

// TestStorageGrowsByWhatIsNew: a step stores its new bytes and at most 1 KiB beside them,
// and a fork at most 2 KiB, whatever the length of the history.
func TestStorageGrowsByWhatIsNew(t *testing.T) {
	const steps, forks = 200, 20
	up := httptest.NewServer(sim.New(sim.Config{}))
	defer up.Close()
	bolt, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer bolt.Close()
	store := &ledger{Store: bolt, sizes: map[string]int{}}
	handler, err := proxy.New(proxy.Config{
		Upstreams: []string{up.URL + "/v1"},
		Agents:    agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:     []string{"send_message", "interrupt_agent", "list_agents"},
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(agent, parent, messages string) string {
		body := `{"model":"m","messages":[` + messages + `]}`
		r := httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(body))
		r.Header.Set("X-Agent-Id", agent)
		if parent != "" {
			r.Header.Set("X-Agent-Parent-Id", parent)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", agent, w.Code, w.Body)
		}
		all, _ := io.ReadAll(w.Body)
		_, content, _ := strings.Cut(string(all), `"message":`)
		message, _, _ := strings.Cut(content, `,"logprobs"`)
		return message
	}
	history := `{"role":"system","content":"` + strings.Repeat("be good ", 200) + `"}`
	answer := call("root", "", history+`,{"role":"user","content":"start"}`)
	history += `,{"role":"user","content":"start"},` + answer
	for i := range steps {
		before := store.total()
		prompt := fmt.Sprintf(`{"role":"user","content":"step %d %s"}`, i, strings.Repeat("x", i%700))
		answer := call("root", "", history+","+prompt)
		history += "," + prompt + "," + answer
		if grown, fresh := store.total()-before, len(prompt)+len(answer); grown > fresh+1024 {
			t.Fatalf("step %d stored %d bytes for %d new ones", i, grown, fresh)
		}
		if i%(steps/forks) == 0 {
			before := store.total()
			task := `{"role":"user","content":"a task"}`
			answer := call(fmt.Sprintf("fork-%d", i), "root", task)
			// The child's task and answer, and the closing message kept for its notice,
			// which the parent's inbox holds until it is read.
			fresh := len(task) + 4*len(answer)
			if grown := store.total() - before; grown > fresh+2048 {
				t.Fatalf("the fork at step %d stored %d bytes for %d new ones", i, grown, fresh)
			}
		}
	}
}
