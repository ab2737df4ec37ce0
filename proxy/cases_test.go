package proxy_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
)

// Tests named TestCaseNN play the numbered faults that were seen in the field, each with
// its own input and some of its neighbours.

// body is a chat request of these parts: a system prompt, raw tools, the members that
// follow them (each with its comma ahead), and the items.
func body(system, tools, more string, items ...string) string {
	b := `{"model":"m1","messages":[`
	if system != "" {
		b += `{"role":"system","content":"` + system + `"}`
		if len(items) > 0 {
			b += ","
		}
	}
	b += strings.Join(items, ",") + "]"
	if tools != "" {
		b += `,"tools":[` + tools + `]`
	}
	return b + more + "}"
}

func prompt(text string) string    { return `{"role":"user","content":"` + text + `"}` }
func assistant(text string) string { return `{"role":"assistant","content":"` + text + `"}` }
func result(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
}

// calling is an assistant item with calls, each given as id, name and arguments.
func calling(calls ...string) string {
	var list []string
	for i := 0; i < len(calls); i += 3 {
		list = append(list, `{"id":"`+calls[i]+`","type":"function","function":{"name":"`+calls[i+1]+`","arguments":`+string(prefix.Quote(calls[i+2]))+`}}`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
}

// answers is the answer, in one piece, whose message is this item.
func answers(item, finish, usage string) string {
	return `{"id":"x1","object":"chat.completion","created":1,"model":"m1","choices":[{"index":0,"message":` + item + `,"finish_reason":"` + finish + `"}]` + usage + `}`
}

func tool(name string) string {
	return `{"type":"function","function":{"name":"` + name + `","parameters":{"type":"object"}}}`
}

// measuring tells a channel each provider request's account, before its answer ends.
func measuring(into chan<- proxy.StepInfo) func(*proxy.Config) {
	return func(c *proxy.Config) {
		c.Trace = c.Trace.And(proxy.Trace{Step: func(i proxy.StepInfo) { into <- i }})
	}
}

// logging has the proxy log there. Who reads it has waited for what is logged.
func logging(to io.Writer) func(*proxy.Config) {
	return func(c *proxy.Config) { c.Log = slog.New(slog.NewTextHandler(to, nil)) }
}

func noRepair(c *proxy.Config) { c.NoRepair = true }

// profile takes the rules of a known provider.
func profile(t testing.TB, name string) func(*proxy.Config) {
	t.Helper()
	p, err := reuse.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *proxy.Config) { c.Provider = p }
}

// ok fails the test unless the answer is whole and good.
func (a answer) ok(t testing.TB) answer {
	t.Helper()
	if a.err != nil || a.StatusCode != 200 {
		t.Fatalf("error %v, %+v, %s", a.err, a.Response, a.body)
	}
	return a
}

// items are the raw items of a request that the provider got, behind its system prompt.
func (r received) items(t testing.TB) []string {
	t.Helper()
	b, err := prefix.Split(r.body)
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for _, item := range b.Items[b.LeadingSystem():] {
		items = append(items, string(item.Raw))
	}
	return items
}

// head is what the provider renders ahead of a request's history.
func (r received) head(t testing.TB) prefix.Head {
	t.Helper()
	b, err := prefix.Split(r.body)
	if err != nil {
		t.Fatal(err)
	}
	return prefix.HeadOf(b)
}
