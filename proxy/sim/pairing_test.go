package sim

import "testing"

func TestPairing(t *testing.T) {
	assistant := func(ids ...string) Item {
		it := Item{Role: "assistant"}
		for _, id := range ids {
			it.Calls = append(it.Calls, Call{ID: id})
		}
		return it
	}
	tool := func(id string) Item { return Item{Role: "tool", CallID: id} }
	user := Item{Role: "user"}
	for name, tt := range map[string]struct {
		items []Item
		ok    bool
	}{
		"no calls":                {[]Item{user, assistant(), user}, true},
		"a batch":                 {[]Item{user, assistant("a", "b"), tool("a"), tool("b"), user}, true},
		"a batch in other order":  {[]Item{user, assistant("a", "b"), tool("b"), tool("a")}, true},
		"an id twice in a batch":  {[]Item{user, assistant("a", "a"), tool("a"), tool("a")}, true},
		"an id again in a turn":   {[]Item{user, assistant("a"), tool("a"), assistant("a"), tool("a")}, true},
		"a missing result":        {[]Item{user, assistant("a", "b"), tool("a"), user}, false},
		"a missing result at end": {[]Item{user, assistant("a")}, false},
		"a user between":          {[]Item{user, assistant("a", "b"), tool("a"), user, tool("b")}, false},
		"a result without call":   {[]Item{user, tool("a")}, false},
		"a result twice":          {[]Item{user, assistant("a"), tool("a"), tool("a")}, false},
	} {
		if err := checkPairing(tt.items); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
