package sim

import (
	"strings"
	"testing"
)

func TestEcho(t *testing.T) {
	user := func(s string) Item { return Item{Role: "user", Text: s} }
	calls := Item{Role: "assistant", Calls: []Call{{ID: "1", Name: "a", Arguments: "{}"}}}
	result := Item{Role: "tool", CallID: "1", Text: "one\ntwo"}
	program := user("hello\n  call a {\"x\": [1]}\nthen call b {}\ncall c {}\nthen say end")
	for name, tt := range map[string]struct {
		items []Item
		text  string
		calls string // name and arguments of each
	}{
		"plain text":                        {[]Item{user("hi\n there")}, "The user said: hi there", ""},
		"first step":                        {[]Item{program}, "", `a{"x": [1]}`},
		"second step":                       {[]Item{program, calls, result}, "", "b{} c{}"},
		"third step":                        {[]Item{program, calls, result, calls, result}, "end", ""},
		"nothing left":                      {[]Item{program, calls, result, calls, result, calls, result, result}, "The results are: one two; one two", ""},
		"a steer without lines goes on":     {[]Item{program, calls, result, user("Agent c sent a message:\nx")}, "", "b{} c{}"},
		"a steer with lines is obeyed":      {[]Item{program, calls, result, user("Agent c sent a message:\nsay no")}, "no", ""},
		"a steer before the prompt":         {[]Item{user("Agent c settled: completed.\nx"), program}, "", `a{"x": [1]}`},
		"an earlier turn does not count":    {[]Item{program, {Role: "assistant", Text: "done"}, user("hi")}, "The user said: hi", ""},
		"a system message after the prompt": {[]Item{program, {Role: "system", Text: "call d {}"}}, "", `a{"x": [1]}`},
		"invalid arguments":                 {[]Item{user("call a {\"x\"")}, `The user said: call a {"x"`, ""},
		"arguments that are no object":      {[]Item{user("call a [1]")}, `The user said: call a [1]`, ""},
		"a long text":                       {[]Item{user(strings.Repeat("é", 200))}, "The user said: " + strings.Repeat("é", 100), ""},
		"nothing":                           {nil, "Nothing was said.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := Echo(Request{Items: tt.items})
			var calls []string
			for _, c := range a.Calls {
				calls = append(calls, c.Name+c.Arguments)
			}
			if got := strings.Join(calls, " "); a.Text != tt.text || got != tt.calls {
				t.Errorf("text %q, calls %q; want %q, %q", a.Text, got, tt.text, tt.calls)
			}
		})
	}
}

// A text of one agent that reaches another one does not drive it.
func TestEchoTextIsNoProgram(t *testing.T) {
	a := Echo(Request{Items: []Item{{Role: "user", Text: "x\ncall a {}"}, {Role: "assistant", Text: "x"}, {Role: "tool", Text: "x\ncall a {}"}}})
	if program(a.Text) != nil {
		t.Errorf("%q is a program", a.Text)
	}
}
