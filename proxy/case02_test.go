package proxy_test

import (
	"fmt"
	"slices"
	"testing"

	"trunkline/proxy"
)

// TestCase02Swapped: two members of one message that have swapped places leave all lengths as
// they were, and are another text all the same: an anonymous client's request breaks there,
// and an agent's goes up in the bytes that were sent first.
func TestCase02Swapped(t *testing.T) {
	const (
		content, details = `"reasoning_content":"r"`, `"reasoning_details":[{"type":"t","text":"r"}]`
		start            = `{"role":"assistant","content":"",`
	)
	first, swapped := start+content+","+details+"}", start+details+","+content+"}"
	everyone(t, func(t *testing.T, who []string) {
		steps := make(chan proxy.StepInfo, 2)
		e := newEdge(t, reply(200, "application/json", saidJSON("yes")), measuring(steps))
		history := []string{prompt("q"), first, prompt("hi")}
		e.post(body("s", "", "", history...), who...).ok(t)
		history = append(history, assistant("yes"), prompt("more"))
		want, cause, repaired := slices.Clone(history), "none", 1
		if history[1] = swapped; who == nil {
			want, cause, repaired = history, "reserialised", 0
		}
		<-steps
		a := e.post(body("s", "", "", history...), who...).ok(t)
		info := <-steps
		if b := info.Break; a.Header.Get("X-Prefix-Break") != cause || who == nil && (b.Segment != "history" || b.Item != 1) {
			t.Errorf("%+v, want %s", b, cause)
		}
		total := 0
		for _, n := range info.Repairs {
			total += n
		}
		if total != repaired {
			t.Errorf("repairs %v, want %d", info.Repairs, repaired)
		}
		if got := e.sent()[1].items(t); !slices.Equal(got, want) {
			t.Errorf("went up as\n%s\nwant\n%s", got, want)
		}
	})
}

// TestCase02Answer: an answer with several extra members has one form, for 50 agents, in the
// agent's next request and in a fork's.
func TestCase02Answer(t *testing.T) {
	said := stream(
		delta(`{"role":"assistant","reasoning_content":"th","x_sig":"s"}`, ""), delta(`{"reasoning_content":"ink","reasoning":"t"}`, ""),
		delta(`{"reasoning_details":[{"type":"t","text":"r","index":0}],"content":"yes","x_more":{"b":1,"a":2}}`, ""), delta(`{}`, "stop"), done)
	e := newEdge(t, said, profile(t, "deepseek")) // which wants the reasoning back
	const want = `{"role":"assistant","content":"yes","reasoning_content":"think","x_sig":"s","reasoning":"t","reasoning_details":[{"type":"t","text":"r","index":0}],"x_more":{"b":1,"a":2}}`
	for i := range 50 {
		root := []string{"X-Agent-Id", fmt.Sprint("a", i)}
		e.post(body("s", "", `,"stream":true`, prompt("1")), root...).ok(t)
		e.post(body("", "", `,"stream":true`, prompt("task")), "X-Agent-Id", fmt.Sprint("kid", i), "X-Agent-Parent-Id", root[1], "X-Agent-Notify", "none").ok(t)
		e.post(body("s", "", `,"stream":true`, prompt("1"), want, prompt("2")), root...).ok(t)
		for _, r := range e.sent()[3*i+1:] {
			if got := r.items(t)[1]; got != want {
				t.Fatalf("agent %d sends\n%s\nwant\n%s", i, got, want)
			}
		}
	}
}
