package prefix

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every way in which this package edits a body.
var editPaths = map[string]func(t *testing.T, raw string) string{
	"plain": func(t *testing.T, raw string) string {
		b := mustSplit(t, raw)
		return join(Compose(b, HeadOf(b), rawItems(b.Items[b.LeadingSystem():]), nil))
	},
	"model alias": func(t *testing.T, raw string) string {
		b := mustSplit(t, raw)
		head := HeadOf(b)
		i := slices.IndexFunc(head.Fields, func(f Field) bool { return f.Name == "model" })
		head.Fields[i].Raw = []byte(`"real-model"`)
		return join(Compose(b, head, rawItems(b.Items[b.LeadingSystem():]), nil))
	},
	"steer": func(t *testing.T, raw string) string {
		b := mustSplit(t, raw)
		items := rawItems(b.Items[b.LeadingSystem():])
		items = slices.Insert(items, len(items)-1, []byte(`{"role":"user","content":"steer"}`))
		return join(Compose(b, HeadOf(b), items, nil))
	},
	"usage option": func(t *testing.T, raw string) string {
		b := mustSplit(t, raw)
		return join(Compose(b, HeadOf(b), rawItems(b.Items[b.LeadingSystem():]), nil, b.Set("stream_options", []byte(`{"include_usage":true}`))))
	},
	"fork": func(t *testing.T, raw string) string {
		parent := mustSplit(t, raw)
		child := mustSplit(t, `{"messages":[{"role":"user","content":"task"}]}`)
		stored, err := DecodeHead(HeadOf(parent).Encode())
		if err != nil {
			t.Fatal(err)
		}
		head, _ := stored.Fork(HeadOf(child), isStandard)
		items := append(rawItems(parent.Items[parent.LeadingSystem():]), child.Items[0].Raw)
		return join(Compose(child, head, items, nil))
	},
}

func TestCase1SameBodyTwoHundredTimes(t *testing.T) {
	const body = `{"model":"m1","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"pick","parameters":{"type":"object","required":["z","a"],"properties":{"z":{"type":"string","description":"d"},"m":{"type":"number"},"a":{"enum":["q","b"]},"k":{},"b":{}}}}}]}`
	for name, edit := range editPaths {
		hashes := map[[32]byte]bool{}
		for range 200 {
			hashes[sha256.Sum256([]byte(edit(t, body)))] = true
		}
		if len(hashes) != 1 {
			t.Errorf("%s: %d distinct bodies", name, len(hashes))
		}
		if name == "plain" && !hashes[sha256.Sum256([]byte(body))] {
			t.Error("the plain body is not the client's")
		}
	}
}

func TestCase5ToolsInConnectionOrder(t *testing.T) {
	pick, scan, move := `{"name":"pick"}`, `{"name":"scan"}`, `{"name":"move"}`
	turns := []struct {
		tools []string
		cause Cause // followed
		fixed Cause // repaired
	}{
		{[]string{pick, scan, move}, CauseNone, CauseNone},
		{[]string{scan, pick, move}, CauseToolsReordered, CauseNone},
		{[]string{pick, move}, CauseToolsChanged, CauseToolsChanged},
		{[]string{pick, scan, move}, CauseToolsChanged, CauseToolsChanged},
	}
	for _, repair := range []bool{false, true} {
		var pinned Head
		for i, turn := range turns {
			body := fmt.Sprintf(`{"tools":[%s]}`, strings.Join(turn.tools, ","))
			next, change := pinned.Follow(HeadOf(mustSplit(t, body)), nil, repair)
			want := turn.cause
			if repair {
				want = turn.fixed
			}
			if change.Cause != want {
				t.Errorf("repair %v, turn %d: %+v, want %s", repair, i+1, change, want)
			}
			if !repair && !slices.Equal(texts(next.Tools), turn.tools) {
				t.Errorf("turn %d sent %s", i+1, texts(next.Tools))
			}
			if repair && i == 1 && (!next.Equal(pinned) || !slices.Equal(change.Repairs, []string{RepairToolsReordered})) {
				t.Errorf("turn 2 sent %s, %+v", texts(next.Tools), change)
			}
			pinned = next
		}
	}
}

func TestCase37LoneSurrogatePassesUnchanged(t *testing.T) {
	for _, content := range []string{`"half \ud83d end"`, "\"cut \xf0\x9f end \xff\""} {
		body := `{"model":"m1","messages":[{"role":"tool","tool_call_id":"a1","content":` + content + `},{"role":"user","content":"go"}]}`
		for name, edit := range editPaths {
			if got := edit(t, body); !strings.Contains(got, content) || !json.Valid([]byte(got)) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	if got := string(Quote("half \xed\xa0\xbd end \xff")); got != "\"half \uFFFD\uFFFD\uFFFD end \uFFFD\"" {
		t.Errorf("our own text is not sanitised: %q", got)
	}
}

func TestCase39UnknownFieldsSurvive(t *testing.T) {
	fields := []string{
		`"chat_template_kwargs":{"enable_thinking": false}`, `"reasoning_effort":"high"`, `"thinking":{"type":"disabled"}`,
		`"cache_salt":"s"`, `"provider":{"order":["b","a"]}`, `"x_vendor":{"a":[1]}`,
	}
	system := `{"role":"system","content":"s","x_item": 1.50}`
	item := `{"role":"user","content":"hi","x_item":{"z":1,"a":2}}`
	tool := `{"type":"function","x_tool":[ ],"function":{"name":"pick","strict":null}}`
	body := `{"model":"m1",` + strings.Join(fields, ",") + `,"messages":[` + system + `,` + item + `],"tools":[` + tool + `],"temperature":0.0}`
	for name, edit := range editPaths {
		got := edit(t, body)
		for _, part := range append(slices.Clone(fields), system, item, tool) {
			if strings.Count(got, part) != 1 {
				t.Errorf("%s: %s is not there once in %s", name, part, got)
			}
		}
		if name != "fork" && !strings.Contains(got, `"temperature":0.0`) {
			t.Errorf("%s: the sampling settings are gone: %s", name, got)
		}
	}
	// A fork's sampling settings are its own.
	if strings.Contains(editPaths["fork"](t, body), "temperature") {
		t.Error("a fork inherited what does not enter the prompt")
	}
}

func TestCase14ForkInheritsWhatEntersThePrompt(t *testing.T) {
	body := `{"model":"m1","messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"tools":[{"name":"pick"}],"tool_choice":"auto","reasoning_effort":"high","response_format":{"type":"text"},"parallel_tool_calls":true,"chat_template_kwargs":{"enable_thinking":true}}`
	parent, child := mustSplit(t, body), mustSplit(t, editPaths["fork"](t, body))
	if !HeadOf(child).Equal(HeadOf(parent)) {
		t.Errorf("child %s\nparent %s", show(HeadOf(child)), show(HeadOf(parent)))
	}
	for i, it := range parent.Items {
		if !bytes.Equal(child.Items[i].Raw, it.Raw) {
			t.Errorf("item %d: %s", i, child.Items[i].Raw)
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	raw := manyItems(5000, 160)
	body, err := Split(raw)
	if err != nil {
		b.Fatal(err)
	}
	head := HeadOf(body)
	items := rawItems(body.Items[1:])
	items = slices.Insert(items, len(items)/2, []byte(`{"role":"user","content":"steer"}`))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		Compose(body, head, items, nil)
	}
}
