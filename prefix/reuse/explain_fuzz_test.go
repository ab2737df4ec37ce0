package reuse

import (
	"testing"

	"trunkline/e2e/recordings"
	"trunkline/prefix"
)

// FuzzExplain states what holds for any two requests, the second after the
// first.
func FuzzExplain(f *testing.F) {
	one := sentBody("n=aa01", bareTool("pick")+","+bareTool("scan"), userItem("1"), answerItem("2"), userItem("3"))
	for _, two := range []string{
		one,
		sentBody("n=bb02", bareTool("pick")+","+bareTool("scan"), userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5")),
		sentBody("n=aa01", bareTool("scan")+","+bareTool("pick"), userItem("1")),
		sentBody("n=aa01", bareTool("pick"), userItem("x"), answerItem("2")),
		sentBody("n=aa01", bareTool("pick")+","+bareTool("scan"), userItem("1"), `{"content":"2","role":"assistant","cache_control":{"type":"ephemeral"}}`, userItem("3")),
		`{"model":"m2","messages":[]}`,
		`{"messages":[{"role":"system"},null,7,{"role":"user","content":[{"type":"text","cache_control":null}]}],"tools":[1,"x",{"name":"pick"}]}`,
		`{}`,
	} {
		f.Add([]byte(one), []byte(two), int64(5000), int64(128))
		f.Add([]byte(two), []byte(one), int64(0), int64(-1))
	}
	conversations, _ := recordings.Seeds(f)
	for _, bodies := range conversations {
		if n := len(bodies); n > 1 {
			f.Add([]byte(bodies[n-2]), []byte(bodies[n-1]), int64(5000), int64(1024))
		}
	}
	providers := Providers()
	f.Fuzz(func(t *testing.T, first, second []byte, prompt, cached int64) {
		a, errA := prefix.Split(first)
		b, errB := prefix.Split(second)
		if errA != nil || errB != nil {
			return
		}
		for _, provider := range providers {
			x := NewIndex(IndexConfig{})
			s := Scope{"t", provider.Name, "m"}
			was, now := bodyPath(provider.Render, a), bodyPath(provider.Render, b)
			x.Add(s, was, Sent{Answered: true, Lineage: "l", Tokens: prefix.Tokens(was.Bytes(was.Len()) / 4)}, at0)
			found := x.Look(s, now, "l", at0)
			got := Explain(now, found)
			if string(first) == string(second) && got.Cause != prefix.CauseNone && now.Len() > 0 {
				t.Fatalf("%s: the same request breaks: %+v", provider.Name, got)
			}
			if got.Offset < 0 || got.Offset > now.Bytes(now.Len()) || got.Within < 0 || got.Changed < 0 || got.Cause == "" {
				t.Fatalf("%s: %+v of %d bytes", provider.Name, got, now.Bytes(now.Len()))
			}
			if (got.Segment == "") != (got.Cause == prefix.CauseNone || got.Cause == prefix.CauseColdStart) {
				t.Fatalf("%s: a cause without a place, or the reverse: %+v", provider.Name, got)
			}
			var u prefix.Usage
			if prompt >= 0 && cached >= 0 && prompt < 1<<53 && cached <= prompt {
				u = prefix.Usage{Prompt: prefix.Tokens(prompt), Cached: prefix.Tokens(cached), Source: "cached_tokens"}
			}
			r := provider.For("m").Account(now, found, got, u)
			if r.Expected < 0 || r.Expected > r.Shared || r.Shared > r.Prompt || r.Shortfall() < 0 || r.Cause == "" {
				t.Fatalf("%s: %+v", provider.Name, r)
			}
			for _, l := range r.Losses {
				if l.Tokens <= 0 || l.Tokens > r.Prompt || l.Cause == prefix.CauseNone {
					t.Fatalf("%s: %+v", provider.Name, r)
				}
			}
		}
	})
}

func bodyPath(render []string, b *prefix.Body) Path {
	var items [][]byte
	for _, it := range b.Items[b.LeadingSystem():] {
		items = append(items, it.Raw)
	}
	return PathOf(render, prefix.HeadOf(b), items)
}
