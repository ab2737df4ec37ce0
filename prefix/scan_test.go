package prefix

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

var scanSeeds = []string{
	``, ` `, `{}`, `[]`, `{"a":1}`, `[1,2.5e-3,-0,true,false,null,"s"]`, `01`, `-`, `1.`, `1e`, `1e+`, `.5`, `tru`, `nul `,
	`"half \ud83d end"`, "\"\xff\"", "\"\x7f\"", "\"\x1f\"", `"\x"`, `"\u12G4"`, `"\u12`, `"\`, `"`, `"12345678`, `"1234567\"`,
	`{"a":1,}`, `[1,]`, `{"a"}`, `{"a":}`, `{,}`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `1 2`, "\v1", "\ufeff1",
	" \t\r\n{ \"a\" : [ ] , \"a\" : { } } \n",
}

func valid(b []byte) bool {
	end, err := scanValue(b, skipSpace(b, 0))
	return err == nil && atEnd(b, end) == nil
}

func FuzzScanAcceptsWhatEncodingJSONAccepts(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := valid(b), json.Valid(b); got != want {
			t.Fatalf("scan says %v, encoding/json says %v for %q", got, want, b)
		}
	})
}

func TestScanNestsAsDeepAsEncodingJSON(t *testing.T) {
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		b := []byte(strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth))
		if got, want := valid(b), json.Valid(b); got != want {
			t.Errorf("depth %d: scan says %v, encoding/json says %v", depth, got, want)
		}
	}
}

func TestScanErrorsSayWhere(t *testing.T) {
	for text, offset := range map[string]int{
		``:                      0,
		`{"a":1`:                6,
		`{"a":x}`:               5,
		`{"a":1,}`:              7,
		`["\x"]`:                3,
		`["\u12G4"]`:            6,
		"[\"a long text\x01\"]": 13,
		`[tru]`:                 4,
		`[1.]`:                  3,
	} {
		_, err := scanValue([]byte(text), 0)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != offset {
			t.Errorf("%q: got %v, want offset %d", text, err, offset)
		}
	}
}
