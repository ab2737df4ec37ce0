package prefix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trunkline/e2e/recordings"
)

func mustSplit(t testing.TB, raw string) *Body {
	t.Helper()
	b, err := Split([]byte(raw))
	if err != nil {
		t.Fatalf("Split(%s): %v", raw, err)
	}
	return b
}

func join(pieces [][]byte) string { return string(bytes.Join(pieces, nil)) }

func values(raw ...string) [][]byte {
	out := make([][]byte, len(raw))
	for i, v := range raw {
		out[i] = []byte(v)
	}
	return out
}

func texts(values [][]byte) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func TestSplitFindsItemsAndTools(t *testing.T) {
	b := mustSplit(t, ` {"model":"m1", "messages" : [
		{"role":"system","content":"s"},
		{"role":"assistant","tool_calls":[{"id":"a1"}]},
		{"role":"assistant","tool_calls":[ ]},
		{"role":"tool","tool_call_id":"a\u0031","content":"r"},
		{"role":"user","tool_call_id":"a1","content":"{\"role\":\"no\"}"},
		"odd" ],
		"tools":[{"type":"function","function":{"description":"d","name":"pick"}},{"name":"flat","type":"x"},{"type":"web_search"},{"type":"custom","custom":{"name":"c"}},7]} `)
	want := []Item{
		{Role: "system"}, {Role: "assistant", HasCalls: true}, {Role: "assistant"},
		{Role: "tool", ToolCallID: "a1"}, {Role: "user"}, {},
	}
	if !b.HasMessages || len(b.Items) != len(want) {
		t.Fatalf("HasMessages %v, %d items", b.HasMessages, len(b.Items))
	}
	for i, it := range b.Items {
		w := want[i]
		if it.Role != w.Role || it.HasCalls != w.HasCalls || it.ToolCallID != w.ToolCallID {
			t.Errorf("item %d: %+v, want %+v", i, it, w)
		}
		if cap(it.Raw) != len(it.Raw) || !json.Valid(it.Raw) || &it.Raw[0] != &b.Raw[it.at] {
			t.Errorf("item %d does not alias the body with capped capacity: %s", i, it.Raw)
		}
	}
	var names []string
	for _, tool := range b.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, ","); got != "pick,flat,web_search,c," {
		t.Errorf("tool names %q", got)
	}
	if model, ok := b.Field("model"); !ok || string(model) != `"m1"` {
		t.Errorf("model %s, %v", model, ok)
	}
	if _, ok := b.Field("n"); ok {
		t.Error("found a field that is not there")
	}
}

func TestSplitLeavesOtherTypesToTheProvider(t *testing.T) {
	b := mustSplit(t, `{"messages":"hi","tools":{"a":1}}`)
	if b.HasMessages || b.HasTools || b.Items != nil || b.Tools != nil {
		t.Errorf("%+v", b)
	}
}

func TestSplitErrorsCarryTheOffset(t *testing.T) {
	for raw, offset := range map[string]int{
		``:                               0,
		`  `:                             2,
		`[]`:                             0,
		` 7`:                             1,
		`{} x`:                           3,
		`{"messages":[{"role":"user",]}`: 28,
		`{"messages":[`:                  13,
		`{"tools":[{"function":{`:        23,
		`{"model":`:                      9,
	} {
		_, err := Split([]byte(raw))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != offset {
			t.Errorf("%s: got %v, want offset %d", raw, err, offset)
		}
	}
}

func TestSplitRefusesRepeatedKeysThatTheProxyActsOn(t *testing.T) {
	for raw, offset := range map[string]int{
		`{"model":"a","model":"b"}`:                          13,
		`{"messages":[],"x":1,"\u006dessages":[]}`:           21,
		`{"to\u006fls":[],"tools":[]}`:                       17,
		`{"stream":true, "stream":false}`:                    16,
		`{"prompt_cache_key":"a","prompt_cache_\u006bey":1}`: 24,
	} {
		_, err := Split([]byte(raw))
		var dup *DuplicateKeyError
		if !errors.As(err, &dup) || dup.Offset != offset || !actsOn(dup.Key) {
			t.Errorf("%s: got %v, want offset %d", raw, err, offset)
		}
	}
	b := mustSplit(t, `{"x":1,"x":2,"temperature":0,"temperature":1}`)
	if x, _ := b.Field("x"); string(x) != "2" {
		t.Errorf("a repeated key reads as %s, want the last", x)
	}
}

func TestObserveReadsTheOtherShapes(t *testing.T) {
	responses, err := Observe([]byte(`{"instructions":"be","input":[{"role":"developer","content":"d"},{"type":"function_call","call_id":"a"}],"model":"m","store":false,"model":"m"}`), Responses)
	if err != nil {
		t.Fatal(err)
	}
	h := HeadOf(responses)
	if got := fmt.Sprint(texts(h.System), len(responses.Items), len(h.Fields)); got != `["be" {"role":"developer","content":"d"}] 2 2` {
		t.Error(got)
	}
	one, err := Observe([]byte(`{"input":"hi","messages":1}`), Responses)
	if err != nil || len(one.Items) != 1 || string(one.Items[0].Raw) != `"hi"` || one.Items[0].Role != "user" {
		t.Errorf("%+v %v", one, err)
	}
	messages, err := Observe([]byte(`{"system":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"messages":[{"role":"user","content":"x"}]}`), Messages)
	if err != nil {
		t.Fatal(err)
	}
	if h := HeadOf(messages); len(h.System) != 2 || len(h.Fields) != 0 || len(messages.Items) != 1 {
		t.Errorf("%+v", h)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
		f.Add([]byte(`{"messages":[{"role":` + s + `}],"tools":[` + s + `],"` + s))
	}
	f.Add([]byte(`{"messages":[{"role":"tool","tool_call_id":"a"},[],1],"tools":[{"function":{"name":"n"}}],"a":1,"a":2}`))
	f.Add([]byte(`{"model":1,"mode\u006c":2}`))
	conversations, _ := recordings.Seeds(f)
	for _, body := range slices.Concat(conversations...) {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := Split(raw)
		var dup *DuplicateKeyError
		if errors.As(err, &dup) {
			if !actsOn(dup.Key) || raw[dup.Offset] != '"' {
				t.Fatalf("%v of %q", err, raw)
			}
			return
		}
		isObject := json.Valid(raw) && bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
		if (err == nil) != isObject {
			t.Fatalf("Split: %v; encoding/json takes it as an object: %v; %q", err, isObject, raw)
		}
		if err != nil {
			return
		}
		// The spans, and the bytes between them, are the whole.
		again, at := []byte{}, 0
		for _, m := range b.Members {
			again = append(append(again, raw[at:m.Key.Start]...), m.Key.Of(raw)...)
			again = append(append(again, raw[m.Key.End:m.Value.Start]...), m.Value.Of(raw)...)
			at = m.Value.End
			if !json.Valid(m.Value.Of(raw)) {
				t.Fatalf("value %q of %q", m.Value.Of(raw), raw)
			}
		}
		if again = append(again, raw[at:]...); !bytes.Equal(again, raw) {
			t.Fatalf("spans give %q for %q", again, raw)
		}
		var want map[string]json.RawMessage // of a repeated key, the last
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got, ok := b.Field(name); !ok || !bytes.Equal(got, value) {
				t.Fatalf("%q is %q, %v; encoding/json has %q of %q", name, got, ok, value, raw)
			}
		}
		items, tools := elements(want["messages"]), elements(want["tools"])
		if len(items) != len(b.Items) || len(tools) != len(b.Tools) {
			t.Fatalf("%d items and %d tools; encoding/json has %d and %d of %q", len(b.Items), len(b.Tools), len(items), len(tools), raw)
		}
		for i, it := range b.Items {
			if !bytes.Equal(it.Raw, items[i]) || &it.Raw[0] != &raw[it.at] {
				t.Fatalf("item %q, encoding/json has %q of %q", it.Raw, items[i], raw)
			}
		}
		for i, tool := range b.Tools {
			if !bytes.Equal(tool.Raw, tools[i]) {
				t.Fatalf("tool %q, encoding/json has %q of %q", tool.Raw, tools[i], raw)
			}
		}
		if out := b.Splice(nil); len(out) != 1 || &out[0][0] != &raw[0] || len(out[0]) != len(raw) {
			t.Fatalf("Splice without edits gives %q", out)
		}
		members, err := Members(raw)
		if err != nil || len(members) != len(b.Members) {
			t.Fatalf("Members: %d, %v; Split: %d", len(members), err, len(b.Members))
		}
	})
}

// elements are those of an array; none of another value.
func elements(raw json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// manyItems is a body of n messages, each with about size bytes of text as a
// coding agent sends it.
func manyItems(n, size int) []byte {
	text := strings.Repeat(`func main() {\n\tfmt.Println(\"hello, world, and a line of ordinary prose\")\n}\n`, size/80)
	var b bytes.Buffer
	b.WriteString(`{"model":"m1","messages":[{"role":"system","content":"s"}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"role":"user","content":"%d %s"}`, i, text)
	}
	b.WriteString(`],"stream":true}`)
	return b.Bytes()
}

func TestSplitAllocatesLittle(t *testing.T) {
	raw := manyItems(10_000, 80)
	allocs := testing.AllocsPerRun(5, func() {
		if _, err := Split(raw); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 100 {
		t.Errorf("%.0f allocations for 10,000 items, want the growth of a few slices", allocs)
	}
}

func BenchmarkSplit(b *testing.B) {
	for _, size := range []int{160, 800, 8000} {
		raw := manyItems(1_000_000/size, size)
		b.Run(fmt.Sprintf("item=%dB", size), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Split(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
