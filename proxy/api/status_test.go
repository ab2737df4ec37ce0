package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
	"trunkline/proxy/api"
	"trunkline/proxy/sim"
)

// TestStatus: the operator sees the latest requests of everybody, what was reused of them
// and why not, and the agents that made them; each request once to who asks for what is new.
func TestStatus(t *testing.T) {
	up := httptest.NewServer(sim.New(sim.Config{}))
	defer up.Close()
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "a.db"), boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	provider, _ := reuse.Lookup("sim")
	handler, err := proxy.New(proxy.Config{Upstreams: []string{up.URL + "/v1"}, Provider: provider,
		Agents: agents.New(agents.Config{Store: store, Holder: "one"})})
	if err != nil {
		t.Fatal(err)
	}
	post := func(header, body string) {
		t.Helper()
		r := httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions", strings.NewReader(body))
		for name, value := range map[string]string{"Authorization": "Bearer someone's"} {
			r.Header.Set(name, value)
		}
		for h := range strings.SplitSeq(header, ",") {
			if name, value, ok := strings.Cut(h, "="); ok {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
	}
	status := func(query string) (st api.Status) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/status"+query, nil))
		if w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &st); err != nil {
			t.Fatal(err)
		}
		return st
	}
	system := `{"role":"system","content":"` + strings.Repeat("be exact ", 300) + `"}`
	post("X-Agent-Id=lead", `{"model":"m","messages":[`+system+`,{"role":"user","content":"hello"}]}`)
	post("X-Agent-Id=fork,X-Agent-Parent-Id=lead,X-Agent-Label=reads", `{"model":"m","messages":[{"role":"user","content":"a task"}]}`)
	post("X-Agent-Id=lead", `{"model":"m","messages":[`+strings.Replace(system, "exact", "brief", 1)+
		`,{"role":"user","content":"hello"},{"role":"assistant","content":"The user said: hello"},{"role":"user","content":"more"}]}`)

	st := status("")
	if len(st.Requests) != 3 || len(st.Agents) != 2 {
		t.Fatalf("%d requests and %d agents: %+v", len(st.Requests), len(st.Agents), st)
	}
	fork := st.Requests[1]
	if fork.Relation != string(proxy.RelationFork) || fork.Fork != string(proxy.ForkByteEqual) || fork.Reused.N < 600 || fork.Lost != 0 {
		t.Errorf("the fork: %+v", fork)
	}
	if other := st.Requests[2]; other.Break != "system item 0" || other.Lost < 600 {
		t.Errorf("the other system prompt: %+v", other)
	}
	if a := st.Agents[1]; a.ID != "fork" || a.Parent != "lead" || a.Label != "reads" || a.Status != agents.Ready {
		t.Errorf("the agents: %+v", st.Agents)
	}
	if st.Agents[0].Tenant == "" || st.Agents[0].Tenant != fork.Tenant {
		t.Errorf("the fork is of %q, its parent of %q", fork.Tenant, st.Agents[0].Tenant)
	}
	if rest := status(fmt.Sprint("?after=", fork.Seq)); len(rest.Requests) != 1 || rest.Requests[0].Seq <= fork.Seq {
		t.Errorf("after the fork: %+v", rest.Requests)
	}
	if began := uint64(time.Now().Add(-time.Hour).UnixMicro()); fork.Seq < began {
		t.Errorf("sequence number %d: those of an earlier process may be above it", fork.Seq)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/status?after=x", nil))
	if w.Code != http.StatusBadRequest {
		t.Errorf("a bad sequence number: %d", w.Code)
	}
}
