package prefix

import "testing"

// TestPlace: case 66.
func TestPlace(t *testing.T) {
	called := branchOf(fromUser("u one"), answered("c x a b"))
	mixed := answered("c x a s")
	mixed.Held = []Held{{1, []byte(itemOf("t s ok"))}}
	ended := branchOf(fromUser("u one"), answered("a two"))
	for _, c := range []struct {
		name   string
		branch Branch
		new    []Entry
		first  bool
		want   int
	}{
		{"(a) no result", called, nil, false, -1},
		{"(a) no result, seen at once", branchOf(fromUser("u one")), []Entry{answered("c x a")}, false, -1},
		{"(b) one result", called, []Entry{fromUser("t a 1")}, false, -1},
		{"(b) one result, the other earlier", branchOf(answered("c x a b"), fromUser("t b 2")), []Entry{fromUser("t a 1")}, false, 1},
		{"(c) all results", called, []Entry{fromUser("t a 1"), fromUser("t b 2")}, false, 2},
		{"(c) ours among them", branchOf(mixed), []Entry{fromUser("t a 1"), ourResult("t s ok")}, false, 2},
		{"(c) ours missing", branchOf(mixed), []Entry{fromUser("t a 1")}, false, -1},
		{"(d) a prompt", ended, []Entry{fromUser("u two")}, true, 0},
		{"(d) two prompts", ended, []Entry{fromUser("u two"), fromUser("u three")}, true, 0},
		{"(d) results, then a prompt", called, []Entry{fromUser("t a 1"), fromUser("t b 2"), fromUser("u two")}, true, 2},
		{"(d) a prompt instead of results", called, []Entry{fromUser("u two")}, true, -1},
		{"(d) a rewritten history", Branch{}, []Entry{fromUser("u one"), fromUser("a two"), fromUser("u three")}, true, 2},
		{"(d) a rewritten history with calls", Branch{}, []Entry{fromUser("u one"), fromUser("c x a"), fromUser("t a 1"), fromUser("u three")}, true, 3},
		{"(e) nothing but a head", Branch{}, nil, true, 0},
		{"a request that ends in our answer", ended, nil, true, 0},
		{"a child's task", ended, []Entry{{Item: []byte(itemOf("u task")), Origin: OriginTask}}, true, 1},
		{"an earlier batch left open", branchOf(answered("c x a"), fromUser("u on"), answered("a y")), []Entry{fromUser("u two")}, true, 0},
	} {
		if got := Place(c.branch, c.new, c.first); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
