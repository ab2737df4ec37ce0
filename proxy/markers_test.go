package proxy_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestMovedMarkersStayWithinWhatProvidersTake plays a client that marks its system prompt and
// its last two messages, as those for Claude do. What went up before goes up again as it was,
// but with no more than the four markers that providers take: the newest.
func TestMovedMarkersStayWithinWhatProvidersTake(t *testing.T) {
	const marker = `,"cache_control":{"type":"ephemeral"}`
	item := func(role, text, mark string) string {
		return `{"role":"` + role + `","content":[{"type":"text","text":"` + text + `"` + mark + `}]}`
	}
	bare := regexp.MustCompile(regexp.QuoteMeta(marker))
	e := newEdge(t, stream(said("yes")...), profile(t, "anthropic"))
	var before string
	for turn := range 8 {
		items := []string{item("system", "s", marker)}
		for i := range turn + 1 {
			mark := ""
			if i >= turn-1 {
				mark = marker
			}
			items = append(items, item("user", fmt.Sprint("q", i), mark), assistant("yes"))
		}
		items = items[:len(items)-1]
		e.post(`{"model":"claude-sonnet-5","stream":true,"messages":[`+strings.Join(items, ",")+`]}`, "X-Agent-Id", "a").ok(t)
		sent := string(e.sent()[turn].body)
		if n := strings.Count(sent, marker); n > 4 || !strings.Contains(sent, items[len(items)-1]) || !strings.Contains(sent, items[0]) {
			t.Errorf("turn %d went up with %d markers: %s", turn, n, sent)
		}
		if turn > 0 && !strings.Contains(sent, items[len(items)-3]) {
			t.Errorf("turn %d has no marker at the message before the last: %s", turn, sent)
		}
		history := strings.TrimSuffix(bare.ReplaceAllString(sent, ""), "]}")
		if !strings.HasPrefix(history, before) {
			t.Errorf("turn %d does not go on from the one before it:\n%s\n%s", turn, before, history)
		}
		before = history
	}
}
