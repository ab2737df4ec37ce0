package prefix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestComposeWithoutAChangeIsTheBodyItself(t *testing.T) {
	b := mustSplit(t, ` { "tools" : [ {"type":"function"} ] , "temperature":0.50, "messages":[ {"role":"system","content":"s"} , {"role":"user"}],"model":"m" }`)
	out := Compose(b, HeadOf(b), values(`{"role":"user"}`), nil)
	if len(out) != 1 || &out[0][0] != &b.Raw[0] || len(out[0]) != len(b.Raw) {
		t.Errorf("got %q", out)
	}
}

func TestComposeSplices(t *testing.T) {
	model := Field{"model", []byte(`"m"`)}
	for _, c := range []struct {
		name, body string
		head       Head
		items      [][]byte
		want       string
	}{
		{"a step between two items", `{"model":"m", "messages": [1 , 2]}`, Head{Fields: []Field{model}}, values(`1`, `9`, `2`), `{"model":"m", "messages": [1,9 , 2]}`},
		{"before the first", `{"messages":[ 1 , 2 ]}`, Head{System: values(`8`)}, values(`9`, `1`, `2`), `{"messages":[8,9,1 , 2 ]}`},
		{"after the last", `{"messages":[ 1 , 2 ]}`, Head{}, values(`1`, `2`, `3`), `{"messages":[ 1 , 2,3]}`},
		{"in place of one", `{"messages":[1, 2, 3]}`, Head{}, values(`1`, `8`, `9`, `3`), `{"messages":[1,8,9,3]}`},
		{"one less", `{"messages":[1, 2, 3]}`, Head{}, values(`1`, `3`), `{"messages":[1,3]}`},
		{"the first less", `{"messages":[1, 2, 3]}`, Head{}, values(`2`, `3`), `{"messages":[2, 3]}`},
		{"equal neighbours", `{"messages":[1,1]}`, Head{}, values(`1`, `1`, `1`), `{"messages":[1,1,1]}`},
		{"into an empty list", `{"messages":[ ]}`, Head{}, values(`1`, `2`), `{"messages":[1,2]}`},
		{"out of all", `{"messages":[1,2]}`, Head{}, nil, `{"messages":[]}`},
		{"an empty object", ` { } `, Head{Tools: values(`5`), Fields: []Field{model}}, values(`1`), ` {"model":"m","messages":[1],"tools":[5] } `},
		{"missing members", "{\"messages\":[1]\n}", Head{Tools: values(`5`, `6`), Fields: []Field{model}}, values(`1`), "{\"messages\":[1],\"model\":\"m\",\"tools\":[5,6]\n}"},
		{"another value", `{"model" : "x" ,"messages":[]}`, Head{Fields: []Field{model}}, nil, `{"model" : "m" ,"messages":[]}`},
		{"tools appended", `{"tools":[ 5 ],"messages":[]}`, Head{Tools: values(`5`, `6`)}, nil, `{"tools":[ 5,6],"messages":[]}`},
		{"null tools", `{"tools":null}`, Head{Tools: values(`5`)}, nil, `{"tools":[5]}`},
		{"tools of another type", `{"tools":"x","messages":{}}`, Head{Tools: values(`5`)}, values(`1`), `{"tools":"x","messages":{}}`},
		{"no tools left", `{"tools":[5],"messages":[]}`, Head{}, nil, `{"messages":[]}`},
		{"nothing left", `{"tools":[5]}`, Head{}, nil, `{}`},
		{"all replaced", `{"tools":[5], "x":1}`, Head{Fields: []Field{model}}, values(`1`), `{"model":"m","messages":[1]}`},
		{"a field removed", `{"a":1,"b":2 , "temperature":3, "c":4}`, Head{}, nil, `{"temperature":3}`},
		{"repeated fields", `{"x":1,"x":2}`, Head{Fields: []Field{{"x", []byte(`1`)}, {"x", []byte(`3`)}}}, nil, `{"x":1,"x":3}`},
		{"a key with escapes", `{"mod\u0065l":"x","messages":[]}`, Head{Fields: []Field{model}}, nil, `{"mod\u0065l":"m","messages":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := join(Compose(mustSplit(t, c.body), c.head, c.items, nil)); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestComposeMakesFewSlicesOfALongHistory(t *testing.T) {
	b := mustSplit(t, string(manyItems(1000, 80)))
	var items [][]byte
	for i, it := range b.Items[1:] {
		if i == 500 {
			items = append(items, []byte(`{"role":"user","content":"steer"}`))
		}
		items = append(items, slices.Clone(it.Raw)) // equal bytes held elsewhere serve as well
	}
	if out := Compose(b, HeadOf(b), items, nil); len(out) > 5 {
		t.Errorf("%d slices for one insertion", len(out))
	}
}

func TestComposeTakesOtherEdits(t *testing.T) {
	b := mustSplit(t, `{"model":"alias","messages":[1],"stream":true}`)
	head := HeadOf(b)
	head.Fields[0].Raw = []byte(`"real"`)
	got := join(Compose(b, head, values(`1`, `2`), nil, b.Set("stream_options", []byte(`{"include_usage":true}`)), b.Set("stream", []byte(`false`))))
	if want := `{"model":"real","messages":[1,2],"stream":false,"stream_options":{"include_usage":true}}`; got != want {
		t.Errorf("\ngot  %s\nwant %s", got, want)
	}
}

func TestSpliceRefusesTwoEditsOfTheSameBytes(t *testing.T) {
	b := mustSplit(t, `{"model":"a"}`)
	defer func() {
		if recover() == nil {
			t.Error("an overlap went through")
		}
	}()
	b.Splice([]Edit{b.Set("model", []byte(`1`)), b.Set("model", []byte(`2`))})
}

// checkComposed splits what was composed and finds head and items in it.
func checkComposed(t *rapid.T, b *Body, head Head, items [][]byte) {
	out := join(Compose(b, head, items, nil))
	got, err := Split([]byte(out))
	if err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if !json.Valid([]byte(out)) {
		t.Fatalf("not JSON: %s", out)
	}
	gotHead := HeadOf(got)
	byName := func(h Head) Head {
		h.Fields = slices.Clone(h.Fields)
		slices.SortStableFunc(h.Fields, func(f, g Field) int { return bytes.Compare([]byte(f.Name), []byte(g.Name)) })
		return h
	}
	if !byName(gotHead).Equal(byName(head)) {
		t.Fatalf("head of %s\ngot  %s\nwant %s", out, show(gotHead), show(head))
	}
	var raw [][]byte
	for _, it := range got.Items[got.LeadingSystem():] {
		raw = append(raw, it.Raw)
	}
	if !equalBytes(raw, items) {
		t.Fatalf("items of %s: %q, want %q", out, raw, items)
	}
	// What is neither head nor history kept its bytes and order.
	rest := func(b *Body) (out []string) {
		for _, m := range b.Members {
			if m.Name != "messages" && m.Name != "tools" && !b.isField(m.Name) {
				out = append(out, string(m.Key.Of(b.Raw))+string(m.Value.Of(b.Raw)))
			}
		}
		return out
	}
	if !slices.Equal(rest(got), rest(b)) {
		t.Fatalf("%s lost something of %s", out, b.Raw)
	}
}

func show(h Head) string {
	return fmt.Sprintf("tools %s system %s fields %s", texts(h.Tools), texts(h.System), h.Fields)
}

func TestComposedBodySplitsIntoHeadAndItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := Split([]byte(genBody.Draw(t, "body")))
		if err != nil {
			t.Fatal(err)
		}
		checkComposed(t, b, genHead.Draw(t, "head"), genItems.Draw(t, "items"))

		same := Compose(b, HeadOf(b), rawItems(b.Items[b.LeadingSystem():]), nil)
		if len(same) != 1 || &same[0][0] != &b.Raw[0] {
			t.Fatalf("no change gives %q for %q", same, b.Raw)
		}
	})
}

func rawItems(items []Item) [][]byte {
	var out [][]byte
	for _, it := range items {
		out = append(out, it.Raw)
	}
	return out
}

// A request with marked elements is the one without, but for what these hold: the markers,
// and strings that became one text part.
func TestComposeWithMarkedElements(t *testing.T) {
	marker := Marker{Member: `"cache_control":{"type":"ephemeral"}`, Assistant: true, Tool: true}
	rapid.Check(t, func(t *rapid.T) {
		body, err := Split([]byte(genBody.Draw(t, "body")))
		if err != nil {
			t.Fatal(err)
		}
		head, items := genHead.Draw(t, "head"), raws(rapid.OneOf(genItem, genSpoken), 6).Draw(t, "items")
		if rapid.Bool().Draw(t, "as the client sent it") {
			head, items = HeadOf(body), rawItems(body.Items[body.LeadingSystem():])
		}
		var marked []Breakpoint
		for at, raw := range history(head, items) {
			with, ok := marker.In(raw)
			if !ok || !rapid.Bool().Draw(t, "marked") {
				continue
			}
			if !sameUnmarked(with, raw) {
				t.Fatalf("%s became %s", raw, with)
			}
			marked = append(marked, Breakpoint{at, with})
		}
		want, err := Split([]byte(join(Compose(body, head, items, nil))))
		if err != nil {
			t.Fatal(err)
		}
		var edits []Edit
		for _, m := range marked {
			if m.At >= len(want.Items) {
				continue // messages are no list
			}
			at := want.Items[m.At].at
			edits = append(edits, Edit{Span{at, at + len(want.Items[m.At].Raw)}, [][]byte{m.Raw}})
		}
		if got, want := join(Compose(body, head, items, marked)), join(want.Splice(edits)); got != want {
			t.Fatalf("\ngot  %s\nwant %s", got, want)
		}
	})
}

// genSpoken draws items with texts to mark.
var genSpoken = rapid.SampledFrom([]string{
	`{"role":"user","content":"a text"}`,
	`{"role":"assistant","content": "an answer" ,"tool_calls":[{"id":"1"}]}`,
	`{ "role":"tool","tool_call_id":"1","content":[ {"type":"text","text":"one"}, {"type":"text","text":"two" } ] }`,
	`{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`,
})

// sameUnmarked reports whether an item is another one with a marker.
func sameUnmarked(marked, plain []byte) bool {
	clean := Unmarked(marked)
	if len(clean) == len(marked) {
		return false
	}
	if bytes.Equal(clean, plain) {
		return true
	}
	o, _ := membersOf(plain)
	content := o.get("content")
	return bytes.Equal(clean, bytes.Replace(plain, content, []byte(`[{"type":"text","text":`+string(content)+`}]`), 1))
}

func FuzzCompose(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"system"},{"role":"user","content":"hi"}],"tools":[{"name":"a"}],"x":[1]}`), uint(1), uint(2))
	f.Add([]byte(` { } `), uint(0), uint(0))
	f.Add([]byte(`{"a":1,"a":2,"":3}`), uint(0), uint(9))
	f.Fuzz(func(t *testing.T, raw []byte, cut, at uint) {
		b, err := Split(raw)
		if err != nil || !b.HasMessages {
			return
		}
		// Any head and items: those of the body itself, with one thing changed each.
		head, items := HeadOf(b), rawItems(b.Items[b.LeadingSystem():])
		steer := []byte(`{"role":"user","content":"steer"}`)
		items = slices.Insert(items, int(at%uint(len(items)+1)), steer)
		if n := uint(len(head.Fields)); n > 0 {
			head.Fields = slices.Delete(head.Fields, int(cut%n), int(cut%n)+1)
		}
		field, _ := b.Field("tools")
		if b.HasTools || field == nil {
			head.Tools = append(head.Tools, []byte(`{"type":"function","function":{"name":"send_message"}}`))
		}
		out := join(Compose(b, head, items, nil))
		got, err := Split([]byte(out))
		if err != nil {
			t.Fatalf("%q from %q: %v", out, raw, err)
		}
		if !HeadOf(got).Equal(head) || !equalBytes(rawItems(got.Items[got.LeadingSystem():]), items) {
			t.Fatalf("%q from %q: %s, want %s", out, raw, show(HeadOf(got)), show(head))
		}
		if again := join(Compose(b.Detach(head, items), head, items, nil)); again != out {
			t.Fatalf("%q detached, %q before", again, out)
		}
	})
}
