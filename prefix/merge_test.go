package prefix

import (
	"strings"
	"testing"
)

// stories writes entries in the short form of itemOf.
func stories(entries []Entry) string {
	var out []string
	for _, e := range entries {
		o, _ := membersOf(e.Item)
		s := o.text("role")[:1] + ":" + o.text("tool_call_id") + o.text("content")
		if e.Hidden {
			s = "(" + s + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestMergePutsResultsInCallOrder(t *testing.T) {
	// Calls: a is the client's, s and r are ours, b is the client's.
	mixed := answered("c x a s b r")
	mixed.Seen = []byte(itemOf("c x a b"))
	mixed.Held = []Held{{1, []byte(itemOf("t s ok"))}, {3, []byte(itemOf("t r ok"))}}
	// All calls of one id (case 42).
	constant := answered("c x f f f")
	constant.Held = []Held{{1, []byte(itemOf("t f ours"))}}
	for _, c := range []struct {
		name   string
		branch Branch
		new    []string
		want   string
	}{
		{"all results", branchOf(mixed), []string{"t a 1", "t b 2", "u go"}, "t:a1 (t:sok) t:b2 (t:rok) u:go"},
		{"in another order", branchOf(mixed), []string{"t b 2", "t a 1"}, "t:a1 (t:sok) t:b2 (t:rok)"},
		{"case 43, one result only", branchOf(mixed), []string{"t b 2"}, "(t:sok) t:b2 (t:rok)"},
		{"case 43, a user item instead", branchOf(mixed), []string{"u go"}, "(t:sok) (t:rok) u:go"},
		{"nothing", branchOf(mixed), nil, "(t:sok) (t:rok)"},
		{"one too many", branchOf(mixed), []string{"t a 1", "t z 9", "t b 2"}, "t:a1 t:z9 (t:sok) t:b2 (t:rok)"},
		{"one twice", branchOf(mixed), []string{"t a 1", "t a 1", "t b 2"}, "t:a1 t:a1 (t:sok) t:b2 (t:rok)"},
		{"repeated ids", branchOf(constant), []string{"t f 1", "t f 2"}, "t:f1 (t:fours) t:f2"},
		{"the batch begun", branchOf(mixed, fromUser("t a 1"), ourResult("t s ok")), []string{"t b 2"}, "t:b2 (t:rok)"},
		{"the batch done", branchOf(mixed, fromUser("t a 1"), ourResult("t s ok"), fromUser("t b 2"), ourResult("t r ok")), []string{"u go"}, "u:go"},
		{"the client's calls only", branchOf(answered("c x a b")), []string{"t b 2", "t a 1"}, "t:b2 t:a1"},
		{"an empty branch", Branch{}, []string{"u go", "a x", "u on"}, "u:go a:x u:on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Merge(c.branch, seenOf(t, c.new...))
			if s := stories(got); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
			for _, e := range got {
				if e.Hidden != (e.Origin == OriginResult) {
					t.Errorf("%s: hidden %v, origin %v", e.Item, e.Hidden, e.Origin)
				}
			}
		})
	}
}
