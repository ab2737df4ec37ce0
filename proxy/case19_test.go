package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trunkline/prefix"
	"trunkline/proxy"
)

// TestCase19: where equal prompts hit and miss by turns, what was shared and what the
// provider read are told apart: the misses are its routing's, and no prefix broke. What
// providers route by goes up untouched.
func TestCase19(t *testing.T) {
	const tokens = 10_000
	long := strings.Repeat("word ", 4*tokens/5)
	members := `,"session_id":"s","prompt_cache_key":"k","provider":{"order":["b","a"]},"user":"u"`
	headers := []string{"X-Session-Id", "s", "X-Session-Affinity", "f", "X-Vendor-Route", "r"}
	var n atomic.Int32
	provider := func(w http.ResponseWriter, r *http.Request) {
		cached := 0
		if n.Add(1)%2 == 0 {
			cached = tokens * 96 / 100
		}
		stream(delta(`{"role":"assistant","content":"yes"}`, ""), delta(`{}`, "stop"), usage(tokens, cached), done)(w, r)
	}
	everyone(t, func(t *testing.T, who []string) {
		n.Store(0)
		steps := make(chan proxy.StepInfo, 8)
		e := newEdge(t, provider, measuring(steps), profile(t, "vllm"))
		sent := body(long, "", members+`,"stream":true`, prompt("go"))
		for i := range 6 {
			a := e.post(sent, append(slices.Clone(who), headers...)...).ok(t)
			info := <-steps
			got := e.sent()[i]
			if string(got.body) != sent {
				t.Errorf("request %d went up in other bytes", i+1)
			}
			for h := 0; h < len(headers); h += 2 {
				if got.header.Get(headers[h]) != headers[h+1] {
					t.Errorf("the header %s went up as %q", headers[h], got.header.Get(headers[h]))
				}
			}
			if i == 0 {
				continue
			}
			if cause := a.Header.Get("X-Prefix-Break"); cause != "none" || a.Header.Get("X-Prefix-Shared-Bytes") != a.Header.Get("X-Prefix-Total-Bytes") {
				t.Errorf("request %d: break %s, %s of %s bytes shared", i+1, cause, a.Header.Get("X-Prefix-Shared-Bytes"), a.Header.Get("X-Prefix-Total-Bytes"))
			}
			want := prefix.CauseRouting
			if r := info.Reuse; r.Cause != want || r.Shared < tokens*99/100 || r.Shortfall() < tokens*2/100 {
				t.Errorf("request %d: %+v, want %s", i+1, r, want)
			}
			if r := info.Reuse; (i%2 == 0) != (r.Shortfall() > tokens*9/10) {
				t.Errorf("request %d: a shortfall of %d", i+1, r.Shortfall())
			}
		}
	})
}
