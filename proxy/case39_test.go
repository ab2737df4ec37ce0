package proxy_test

import (
	"slices"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestCase39: unknown members of the request, its messages and its tools go up as they came,
// also where usage is asked for, beside inserted messages, and in forks.
func TestCase39(t *testing.T) {
	fields := []string{
		`"chat_template_kwargs":{"enable_thinking": false}`, `"reasoning_effort":"high"`, `"thinking":{"type":"disabled"}`,
		`"cache_salt":"s"`, `"provider":{"order":["b","a"]}`, `"x_vendor":{"a":[1]}`,
	}
	odd := `{"type":"function","x_tool":[ ],"function":{"name":"pick","strict":null,"y":{"b":1,"a":2.0}}}`
	search := `{"type":"web_search","x":1e3}`
	one := `{"role":"user","content":"hi","x_item":{"z":1,"a":2}}`
	model := script(stream(said("yes")...))
	e := newEdge(t, model, withTools, func(c *proxy.Config) { c.AskUsage = proxy.AskIdentified })
	more := "," + strings.Join(fields, ",") + `,"stream":true`
	root := []string{"X-Agent-Id", "root"}
	e.post(body("s", odd+","+search, more, one), root...).ok(t)
	e.post(body("", "", `,"stream":true`, prompt("task")), "X-Agent-Id", "kid", "X-Agent-Parent-Id", "root").ok(t)
	echo := `{"role":"assistant","content":"yes","x_echo":[null]}`
	e.post(body("s", odd+","+search, more, one, echo, prompt("go on")), root...).ok(t)
	for i, r := range e.sent() {
		for _, part := range append(slices.Clone(fields), odd, search, one) {
			if n := strings.Count(string(r.body), part); n != 1 {
				t.Errorf("request %d has %s %d times: %s", i, part, n, r.body)
			}
		}
	}
	if last := string(e.sent()[2].body); !strings.Contains(last, "Agent kid settled") || !strings.Contains(last, `"include_usage":true`) {
		t.Errorf("nothing is inserted in %s", last)
	}
}
