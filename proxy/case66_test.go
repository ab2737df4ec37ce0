package proxy_test

import (
	"slices"
	"strings"
	"testing"
)

// TestCase66: what waits for an agent goes to the very end behind a complete batch of
// results, and directly ahead of a new prompt; while results are missing the request goes up
// as it is, and what waits is read behind its answer.
func TestCase66(t *testing.T) {
	two := calling("a1", "pick", "{}", "a2", "pick", "{}")
	open := []string{prompt("1"), two}
	news := `{"role":"user","content":"Agent kid settled: completed.\nyes"}`
	more := func(items ...string) []string { return append(slices.Clone(open), items...) }
	for name, c := range map[string]struct{ sent, want []string }{
		"(a) calls alone":                 {more(prompt("2")), more(prompt("2"))}, // a prompt in their place
		"(b) one result":                  {more(result("a1", "r")), more(result("a1", "r"))},
		"(b) the other result":            {more(result("a2", "r")), more(result("a2", "r"))},
		"(c) both results":                {more(result("a1", "r"), result("a2", "r")), more(result("a1", "r"), result("a2", "r"), news)},
		"(d) both, then a prompt":         {more(result("a1", "r"), result("a2", "r"), prompt("2")), more(result("a1", "r"), result("a2", "r"), news, prompt("2"))},
		"(d) both, then two prompts":      {more(result("a1", "r"), result("a2", "r"), prompt("2"), prompt("3")), more(result("a1", "r"), result("a2", "r"), news, prompt("2"), prompt("3"))},
		"(d) one result, then a prompt":   {more(result("a1", "r"), prompt("2")), more(result("a1", "r"), prompt("2"))},
		"(d) a prompt of parts":           {more(result("a1", "r"), result("a2", "r"), `{"role":"user","content":[{"type":"text","text":"2"}]}`), more(result("a1", "r"), result("a2", "r"), news, `{"role":"user","content":[{"type":"text","text":"2"}]}`)},
		"(d) another beginning, a prompt": {[]string{prompt("else"), assistant("yes"), prompt("2")}, []string{prompt("else"), assistant("yes"), news, prompt("2")}},
		"(e) both, then a system item":    {more(result("a1", "r"), result("a2", "r"), `{"role":"system","content":"mind"}`), more(result("a1", "r"), result("a2", "r"), `{"role":"system","content":"mind"}`, news)},
	} {
		t.Run(name, func(t *testing.T) {
			yes := reply(200, "application/json", saidJSON("yes"))
			e := newEdge(t, script(reply(200, "application/json", answers(two, "tool_calls", "")), yes, yes))
			root := []string{"X-Agent-Id", "root"}
			e.post(body("s", tool("pick"), "", open[:1]...), root...).ok(t)
			e.post(body("", "", "", prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
			e.post(body("s", tool("pick"), "", c.sent...), root...).ok(t)
			if got := e.sent()[2].items(t); !slices.Equal(got, c.want) {
				t.Errorf("went up as\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if slices.Contains(c.want, news) {
				if n := len(e.sent()); n != 3 {
					t.Errorf("%d requests went up, want 3", n)
				}
				return
			}
			// It was read when the turn would have ended.
			want := append(slices.Clone(c.want), assistant("yes"), news)
			if got := e.sent()[3].items(t); !slices.Equal(got, want) {
				t.Errorf("then went up\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
