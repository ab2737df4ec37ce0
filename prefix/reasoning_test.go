package prefix

import "testing"

// TestSettleFollowsTheFirstEcho: case 13. Reasoning goes up as the client
// returns it, as long as the answer was not sent yet.
func TestSettleFollowsTheFirstEcho(t *testing.T) {
	const item = `{"role":"assistant","content":"x","reasoning_content":"think ","signature":"s","vendor":1,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ }"}}]}`
	const calls = `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const sentCalls = `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ }"}}]`
	for _, c := range []struct{ name, echo, want string }{
		{"kept", `{"role":"assistant","content":"x","signature":"s","reasoning_content":"think ",` + calls, ""},
		{"dropped", `{"role":"assistant","content":"x",` + calls, `{"role":"assistant","content":"x","vendor":1,` + sentCalls + `}`},
		{"trimmed", `{"role":"assistant","content":"x","reasoning_content":"think","signature":"s",` + calls, `{"role":"assistant","content":"x","reasoning_content":"think","signature":"s","vendor":1,` + sentCalls + `}`},
		{"renamed", `{"role":"assistant","reasoning":"think ","content":"x",` + calls, `{"role":"assistant","content":"x","vendor":1,` + sentCalls + `,"reasoning":"think "}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := branchOf(fromUser("u one"), Entry{Item: []byte(item), Origin: OriginAnswer})
			seen := itemsOf(t, itemOf("u one"), c.echo, itemOf("t a 1"))
			a := Align(b, 0, seen, Options{Repair: true, Sent: 1})
			if c.want == "" {
				if a.Settle != nil {
					t.Fatalf("settled as %s", a.Settle.Entry.Item)
				}
				return
			}
			if a.Settle == nil || a.Settle.Index != 1 || string(a.Settle.Entry.Item) != c.want {
				t.Fatalf("settled as %+v, want %s", a.Settle, c.want)
			}
			// What took its place matches the same echo and needs no more.
			settled, _ := b.Cut(1).Append([]Entry{a.Settle.Entry})
			again := Align(settled, 0, seen, Options{Repair: true, Sent: 1})
			if again.Keep != 2 || again.Break != nil || again.Settle != nil {
				t.Errorf("aligned again: %s", summary(again))
			}
			// A client that comes back with all it was shown has not changed a thing.
			if a := Align(settled, 0, itemsOf(t, itemOf("u one"), item), Options{}); a.Keep != 2 || a.Break != nil {
				t.Errorf("aligned with all that was shown: %s", summary(a))
			}
			if a := Align(b, 0, seen, Options{Repair: true, Sent: 2}); a.Settle != nil {
				t.Error("an answer that was sent is settled")
			}
			if a := Align(b, 0, seen, Options{Repair: true, Sent: 1, KeepReasoning: true}); a.Settle != nil {
				t.Error("settled against the provider's rule")
			}
		})
	}
}

// TestSettleOfAGroup: a joined message's reasoning cannot be taken apart.
func TestSettleOfAGroup(t *testing.T) {
	last := Entry{
		Item:   []byte(`{"role":"assistant","content":"y","reasoning_content":"two"}`),
		Seen:   []byte(`{"role":"assistant","content":"xy","reasoning_content":"onetwo"}`),
		Origin: OriginAnswer, Group: 3,
	}
	b := branchOf(fromUser("u one"), hidden(answered("c x s")), ourResult("t s ok"), last)
	opt := Options{Repair: true, Sent: 3}
	a := Align(b, 0, itemsOf(t, itemOf("u one"), `{"role":"assistant","content":"xy"}`), opt)
	if want := `{"role":"assistant","content":"y"}`; a.Settle == nil || string(a.Settle.Entry.Item) != want || a.Settle.Entry.Group != 3 {
		t.Errorf("all dropped: %+v", a.Settle)
	}
	a = Align(b, 0, itemsOf(t, itemOf("u one"), `{"role":"assistant","content":"xy","reasoning_content":"one two"}`), opt)
	if a.Settle != nil {
		t.Errorf("changed: %+v", a.Settle)
	}
}

func TestWithoutReasoning(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`{"role":"assistant","reasoning":"r","content":"x","thinking_blocks":[1]}`, `{"role":"assistant","content":"x"}`},
		{`{"reasoning":"r"}`, `{}`},
		{`{ "role" : "assistant" }`, `{ "role" : "assistant" }`},
		{`no object`, `no object`},
	} {
		if got := string(WithoutReasoning([]byte(c.item))); got != c.want {
			t.Errorf("%s: %s, want %s", c.item, got, c.want)
		}
	}
}
