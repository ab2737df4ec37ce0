package tools

import (
	"encoding/json"
	"testing"
)

func TestReplay(t *testing.T) {
	message := `{"role":"assistant","content":"a\u00e9","reasoning_content":"r","tool_calls":[{"id":"p","type":"function","function":{"name":"pick","arguments":"{}"}},{"id":"q","type":"function","function":{"name":"scan","arguments":"{}"}}]}`
	r := Replay{Shape: NewShape("seed", "m1"), Message: []byte(message), Usage: []byte(`{"prompt_tokens":3}`)}
	c := read(t, string(r.Stream()))
	if c.Text != "aé" || c.Roles != 1 || !c.Done || len(c.Calls) != 2 || c.Calls[1].Name != "scan" || c.Finishes[0] != "tool_calls" || len(c.Usages) != 1 {
		t.Errorf("%+v", c)
	}
	if again := (Replay{Shape: NewShape("seed", "m1"), Message: []byte(message), Usage: r.Usage}); string(again.Stream()) != string(r.Stream()) {
		t.Error("the same seed gave other bytes")
	}

	// Replayed, the answer assembles to the item that it was made of.
	a := new(Answer)
	a.Parse(r.JSON())
	if got := string(a.Message()); got != message || a.Finish != "tool_calls" || !json.Valid(r.JSON()) {
		t.Errorf("got %s, finish %s", got, a.Finish)
	}
	if len(c.IDs) != 3 || c.IDs[0] != r.Shape.ID {
		t.Errorf("ids %v", c.IDs)
	}
	text := Replay{Shape: NewShape("seed", "m1"), Message: []byte(`{"role":"assistant","content":"a"}`)}
	if c := read(t, string(text.Stream())); c.Finishes[0] != "stop" || len(c.Usages) != 0 {
		t.Errorf("%+v", c)
	}
	text.Finish = "length"
	if c := read(t, string(text.Stream())); c.Finishes[0] != "length" {
		t.Errorf("%+v", c)
	}
}
