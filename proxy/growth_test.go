package proxy_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/agents/redisstore"
	"trunkline/agents/redisstore/redistest"
	"trunkline/proxy"
	"trunkline/proxy/sim"
)

// BenchmarkGrowth is a conversation of 500 steps with 20 forks along its way: how many bytes
// its store grows by for each step and for each fork, beside the bytes that were said.
func BenchmarkGrowth(b *testing.B) {
	b.Run("bolt", func(b *testing.B) {
		for b.Loop() {
			store, err := boltstore.Open(filepath.Join(b.TempDir(), "a.db"), boltstore.Options{})
			if err != nil {
				b.Fatal(err)
			}
			grow(b, store, func() int64 {
				size, err := store.Size()
				if err != nil {
					b.Fatal(err)
				}
				return size.Used
			})
			store.Close()
		}
	})
	b.Run("redis", func(b *testing.B) {
		server := redistest.Start(b)
		redisstore.LogTo(slog.New(slog.DiscardHandler))
		for b.Loop() {
			server.Do("FLUSHALL")
			store, err := redisstore.Open(b.Context(), server.URL(), redisstore.Options{})
			if err != nil {
				b.Fatal(err)
			}
			grow(b, store, func() int64 {
				return server.Do("EVAL", `local sum = 0
for _, key in ipairs(redis.call('KEYS', '*')) do
	sum = sum + redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)
end
return sum`, 0).(int64)
			})
			store.Close()
		}
	})
}

// grow has the conversation, and reports what used says of it.
func grow(b *testing.B, store agents.Store, used func() int64) {
	const steps, forks = 500, 20
	up := httptest.NewServer(sim.New(sim.Config{}))
	defer up.Close()
	handler, err := proxy.New(proxy.Config{
		Upstreams: []string{up.URL + "/v1"},
		Agents:    agents.New(agents.Config{Store: store, Holder: "one"}),
		Tools:     []string{"send_message", "interrupt_agent", "list_agents"},
	})
	if err != nil {
		b.Fatal(err)
	}
	call := func(messages string, headers ...string) (answer string) {
		b.Helper()
		r := httptest.NewRequest("POST", "http://127.0.0.1"+chat, strings.NewReader(`{"model":"m","messages":[`+messages+`]}`))
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		all, _ := io.ReadAll(w.Body)
		if w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, all)
		}
		_, rest, _ := strings.Cut(string(all), `"message":`)
		answer, _, _ = strings.Cut(rest, `,"logprobs"`)
		return answer
	}
	history := `{"role":"system","content":"` + strings.Repeat("be good ", 200) + `"}`
	said, inForks, start := 0, int64(0), used()
	for i := range steps {
		step := prompt(fmt.Sprintf("step %d %s", i, strings.Repeat("word ", 60)))
		answer := call(history+","+step, "X-Agent-Id", "root")
		history += "," + step + "," + answer
		said += len(step) + len(answer)
		if i%(steps/forks) == 0 {
			before := used()
			call(prompt("a task"), "X-Agent-Id", fmt.Sprint("fork-", i), "X-Agent-Parent-Id", "root", "X-Agent-Notify", "none")
			inForks += used() - before
		}
	}
	b.ReportMetric(float64(said)/steps, "said-B/step")
	b.ReportMetric(float64(used()-start-inForks)/steps, "stored-B/step")
	b.ReportMetric(float64(inForks)/forks, "stored-B/fork")
}
