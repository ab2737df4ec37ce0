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
	"trunkline/prefix"
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
	if other := st.Requests[2]; other.Break != "system item 0" || other.BreakCause != prefix.CauseSystemChanged || other.Lost < 600 || other.Failed != "" {
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

// TestStatusOfWhatFailed: a request without a whole answer says so in place of figures. A break
// is told with its own cause, whatever was lost for another one, and only of what was read.
func TestStatusOfWhatFailed(t *testing.T) {
	answers := make(chan http.HandlerFunc, 1)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (<-answers)(w, r) }))
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
	says := func(kind string, status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	const silent = `{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3000,"completion_tokens":1}}`
	whole := says("application/json", 200, silent)
	system := strings.Repeat("be exact ", 1200)
	for _, tt := range []struct {
		name, system string
		answer       http.HandlerFunc
		failed       string
		broke, cause prefix.Cause
	}{
		{"first", system, whole, "", "", prefix.CauseColdStart},
		{"refused, with a break", "and " + system, says("application/json", 503, `{}`), "status 503", "", prefix.CauseSystemChanged},
		{"not answered", system, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no answer", "", prefix.CauseNone},
		{"broken off", system, says("text/event-stream", 200, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"o\"}}]}\n\n"), "broken off", "", prefix.CauseNone},
		{"unreported behind a break", system + " and brief", whole, "", prefix.CauseSystemChanged, prefix.CauseUnreported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answers <- tt.answer
			func() {
				defer func() { recover() }() // a transfer that is broken off
				handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "http://127.0.0.1/v1/chat/completions",
					strings.NewReader(`{"model":"m","messages":[{"role":"system","content":"`+tt.system+`"},{"role":"user","content":"1"},{"role":"assistant","content":"2"},{"role":"user","content":"3"}]}`)))
			}()
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/status", nil))
			var st api.Status
			if err := json.Unmarshal(w.Body.Bytes(), &st); err != nil || len(st.Requests) == 0 {
				t.Fatal(err, w.Body)
			}
			got := st.Requests[len(st.Requests)-1]
			if got.Failed != tt.failed || got.BreakCause != tt.broke || (got.Break != "") != (tt.broke != "") || got.Cause != tt.cause {
				t.Errorf("%+v", got)
			}
			if (got.Prompt == 0) != (tt.failed != "") {
				t.Errorf("%d tokens of a request that ended %q", got.Prompt, got.Failed)
			}
		})
	}
}
