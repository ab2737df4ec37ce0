package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// tc is one entry of delta.tool_calls. A key whose value is "-" is absent.
func tc(index, id, name, args string) string {
	var members, function []string
	if index != "-" {
		members = append(members, `"index":`+index)
	}
	if id != "-" {
		members = append(members, `"id":`+string(quote(id)))
	}
	if name != "-" {
		function = append(function, `"name":`+string(quote(name)))
	}
	if args != "-" {
		function = append(function, `"arguments":`+string(quote(args)))
	}
	members = append(members, `"function":{`+strings.Join(function, ",")+`}`)
	return `{` + strings.Join(members, ",") + `}`
}

func callsDelta(entries ...string) string {
	return `{"tool_calls":[` + strings.Join(entries, ",") + `]}`
}

func TestCallsAreToldApart(t *testing.T) {
	type id = [3]string // id, name, arguments
	for _, tt := range []struct {
		name   string
		deltas []string
		want   []id
	}{
		{"by index, interleaved", []string{
			callsDelta(tc("0", "a", "p", "")), callsDelta(tc("1", "b", "q", "")),
			callsDelta(tc("0", "-", "-", "{\"x\"")), callsDelta(tc("1", "-", "-", "{}")), callsDelta(tc("0", "-", "-", ":1}")),
		}, []id{{"a", "p", `{"x":1}`}, {"b", "q", "{}"}}},
		{"index absent, by id", []string{
			callsDelta(tc("-", "a", "p", "{\"x\"")), callsDelta(tc("-", "-", "-", ":1}")), callsDelta(tc("-", "b", "p", "{}")),
		}, []id{{"a", "p", `{"x":1}`}, {"b", "p", "{}"}}},
		{"index constant, by id", []string{
			callsDelta(tc("0", "a", "p", "{}")), callsDelta(tc("0", "b", "p", "{")), callsDelta(tc("0", "", "", "}")),
		}, []id{{"a", "p", "{}"}, {"b", "p", "{}"}}},
		{"case 42 equal ids, by index", []string{callsDelta(tc("0", "f:0", "p", "{}"), tc("1", "f:0", "p", "{}"))},
			[]id{{"f:0", "p", "{}"}, {"f:0", "p", "{}"}}},
		{"case 42 equal ids, no index", []string{callsDelta(tc("-", "f:0", "p", "{}"), tc("-", "f:0", "p", "{}"))},
			[]id{{"f:0", "p", "{}"}, {"f:0", "p", "{}"}}},
		{"no id, no index", []string{callsDelta(tc("-", "-", "p", "{}")), callsDelta(tc("-", "-", "q", "")), callsDelta(tc("-", "-", "-", "{}"))},
			[]id{{"", "p", "{}"}, {"", "q", "{}"}}},
		{"identity repeated with each piece, no index", []string{
			callsDelta(tc("-", "a", "p", "{\"x\"")), callsDelta(tc("-", "a", "p", ":{}")), callsDelta(tc("-", "a", "p", "}")),
		}, []id{{"a", "p", `{"x":{}}`}}},
		{"two pieces of one call in one delta", []string{callsDelta(tc("0", "a", "p", "{"), tc("0", "-", "-", "}"))},
			[]id{{"a", "p", "{}"}}},
		{"name after arguments", []string{callsDelta(tc("0", "a", "-", "{")), callsDelta(tc("0", "-", "p", "}"))},
			[]id{{"a", "p", "{}"}}},
		{"arguments as an object", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"p","arguments":{ "x": "y\"" }}}]}`},
			[]id{{"a", "p", `{ "x": "y\"" }`}}},
		{"arguments null", []string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"p","arguments":null}}]}`},
			[]id{{"a", "p", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a Answer
			for _, d := range tt.deltas {
				a.Event("", []byte(chunkOf(d, "")))
			}
			var got []id
			for i, c := range a.Calls() {
				if c.Ordinal != i {
					t.Errorf("call %d has ordinal %d", i, c.Ordinal)
				}
				got = append(got, id{c.ID, c.Name, c.Arguments})
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if m := a.Message(); !json.Valid(m) {
				t.Errorf("not JSON: %s", m)
			}
		})
	}
}

func TestCase24CompleteMeansOneObject(t *testing.T) {
	for args, want := range map[string]bool{
		`{}`: true, ` {"to":"b"} `: true, `{"to":"b","te`: false, ``: false, `[]`: false, `"x"`: false, `null`: false, `{}{}`: false,
	} {
		c := answerOf(chunkOf(callsDelta(tc("0", "a", "p", args)), "stop")).Calls()[0]
		if c.Complete != want {
			t.Errorf("%q: complete %v", args, c.Complete)
		}
	}
	for finish, want := range map[string]bool{"length": true, "content_filter": true, "stop": false, "tool_calls": false} {
		if a := answerOf(chunkOf(`{}`, finish)); a.Cut() != want {
			t.Errorf("%s: cut %v", finish, a.Cut())
		}
	}
}
