package prefix

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true]}`, ` { "b" : [ true ] , "a" : 1 } `, true},
		{`{"\u0061":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[[1],2]`, `[[1,2]]`, false},
		{`1`, `1.0`, false},
		{`1e2`, `1E2`, false},
		{`12345678901234567890`, `12345678901234567891`, false},
		{`0.1`, `0.1000000000000000055511151231257827`, false},
		{`{"a":1,"a":2}`, `{"a":2}`, false},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`, false},
		{`{"a":1,"b":0,"a":2}`, `{"b":0,"a":1,"a":2}`, true},
		{`"\ud83d"`, `"\ud83e"`, false},
		{`{"\ud83d":1}`, `{"\ud83e":1}`, false},
		{`"\ufffd"`, `"\ud83d"`, false},
		{"\"\xff\"", "\"\xfe\"", false},
		{`"1"`, `1`, false},
		{`"true"`, `true`, false},
		{`{}`, `[]`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`, false},
		{`x`, `x`, true},
		{`x`, `x `, false},
		{`1 2`, `1  2`, false},
		{``, ` `, false},
	} {
		if got := SameJSON([]byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
		if got := SameJSON([]byte(c.b), []byte(c.a)); got != c.same {
			t.Errorf("%s and %s: %v", c.b, c.a, got)
		}
	}
}

// reserialised is what a client does that decodes and encodes: keys sorted,
// white space gone, escapes chosen anew.
func reserialised(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	out, _ := json.Marshal(v)
	return out
}

func TestSameJSONSurvivesReserialising(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(genTool.Draw(t, "tool"))
		// What decodes with a loss, and repeated keys, do not survive.
		if strings.Contains(string(raw), `\ud83d`) || bytes.Contains(raw, []byte{0xff}) || bytes.Contains(raw, []byte(`\u006b`)) {
			return
		}
		if again := reserialised(raw); !SameJSON(raw, again) {
			t.Fatalf("%s and %s", raw, again)
		}
	})
}

func TestSameJSONIsLinearInDepth(t *testing.T) {
	deep := func(inner string) []byte {
		return []byte(strings.Repeat(`{"a":[`, maxDepth/2) + inner + strings.Repeat(`]}`, maxDepth/2))
	}
	wide := strings.Repeat(`1`, 1<<20)
	if SameJSON(deep(wide), deep(wide+"2")) || !SameJSON(deep(wide), deep(" "+wide)) {
		t.Error("wrong about deep values")
	}
}

func FuzzSameJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":2}`), []byte(`{"b":2,"a":1}`))
	f.Add([]byte(`"\ud83d"`), []byte(`"\ufffd"`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		same := SameJSON(a, b)
		if same != SameJSON(b, a) || !SameJSON(a, a) {
			t.Fatalf("not symmetric or not reflexive: %q, %q", a, b)
		}
		if same && json.Valid(a) && !bytes.Equal(reserialised(a), reserialised(b)) && !hasRepeatedKey(a) {
			t.Fatalf("%q and %q are not the same to encoding/json", a, b)
		}
	})
}

func hasRepeatedKey(raw []byte) bool {
	if members, err := Members(raw); err == nil {
		seen := map[string]bool{}
		for _, m := range members {
			if seen[m.Name] || hasRepeatedKey(m.Value.Of(raw)) {
				return true
			}
			seen[m.Name] = true
		}
	}
	if elements, err := Elements(raw); err == nil {
		return slices.ContainsFunc(elements, hasRepeatedKey)
	}
	return false
}
