package reuse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trunkline/prefix"
)

// conversation sends requests one after the other, as the proxy does.
type conversation struct {
	t       testing.TB
	x       *Index
	render  []string
	lineage string
}

func newConversation(t testing.TB) *conversation {
	return &conversation{t: t, x: NewIndex(IndexConfig{}), render: simRender}
}

// send returns where the request breaks what was sent before, and sends it.
func (c *conversation) send(body string) Break {
	c.t.Helper()
	b, err := prefix.Split([]byte(body))
	if err != nil {
		c.t.Fatalf("%v in %s", err, body)
	}
	model, _ := b.Field("model")
	var items [][]byte
	for _, it := range b.Items[b.LeadingSystem():] {
		items = append(items, it.Raw)
	}
	p := PathOf(c.render, prefix.HeadOf(b), items)
	s := Scope{"t", "p", string(model)}
	found := Explain(p, c.x.Look(s, p, c.lineage, at0))
	c.x.Add(s, p, Sent{Answered: true, Lineage: c.lineage}, at0.Add(time.Second))
	return found
}

func sentBody(system, tools string, items ...string) string {
	list := append([]string{`{"role":"system","content":"` + system + `"}`}, items...)
	return `{"model":"m1","messages":[` + strings.Join(list, ",") + `],"tools":[` + tools + `]}`
}

func userItem(text string) string   { return `{"role":"user","content":"` + text + `"}` }
func answerItem(text string) string { return `{"role":"assistant","content":"` + text + `"}` }
func bareTool(name string) string {
	return `{"type":"function","function":{"name":"` + name + `","parameters":{"type":"object"}}}`
}

// Case 5: the tools in another order, or without one, are told apart.
func TestCase5Tools(t *testing.T) {
	c := newConversation(t)
	all := []string{bareTool("pick"), bareTool("scan"), bareTool("move")}
	c.send(sentBody("s", strings.Join(all, ","), userItem("1")))
	reordered := c.send(sentBody("s", all[1]+","+all[0]+","+all[2], userItem("1"), answerItem("2"), userItem("3")))
	if reordered.Cause != prefix.CauseToolsReordered || reordered.Segment != prefix.SegmentTools || reordered.Item != 0 {
		t.Errorf("reordered: %+v", reordered)
	}
	missing := c.send(sentBody("s", all[0]+","+all[2], userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5")))
	if missing.Cause != prefix.CauseToolsChanged || missing.Name != "-scan" {
		t.Errorf("missing: %+v", missing)
	}
	back := c.send(sentBody("s", strings.Join(all, ","), userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5"), answerItem("6"), userItem("7")))
	if back.Cause != prefix.CauseToolsChanged || back.Name != "+scan" {
		t.Errorf("back: %+v", back)
	}
}

func TestToolsOfAnotherSerialisationAreTheSame(t *testing.T) {
	c := newConversation(t)
	c.send(sentBody("s", `{"type":"function","function":{"name":"pick","parameters":{"type":"object","required":[]}}}`, userItem("1")))
	got := c.send(sentBody("s", `{"type":"function","function":{"name":"pick","parameters":{"required":[],"type":"object"}}}`, userItem("1"), answerItem("2"), userItem("3")))
	if got.Cause != prefix.CauseReserialised || got.Segment != prefix.SegmentTools {
		t.Errorf("%+v", got)
	}
}

// Case 6: a nonce at the start of 20 KB is named, with where it starts and how
// long it is, and does not hide whose continuation the request is.
func TestCase6Nonce(t *testing.T) {
	c := newConversation(t)
	constant := strings.Repeat("Constant text. ", 1400)
	var items []string
	for i, nonce := range []string{"aa01", "bb02", "cc03"} {
		items = append(items, userItem(fmt.Sprint(i)))
		got := c.send(sentBody("x-vendor-billing: v=1; n="+nonce+";"+constant, bareTool("pick"), items...))
		items = append(items, answerItem("ok"))
		if i == 0 {
			if got.Cause != prefix.CauseColdStart {
				t.Errorf("first: %+v", got)
			}
			continue
		}
		within := len(`{"role":"system","content":"x-vendor-billing: v=1; n=`)
		if got.Cause != prefix.CauseNonce || got.Segment != prefix.SegmentSystem || got.Item != 0 || got.Within != within || got.Changed != 4 {
			t.Errorf("turn %d: %+v, want a nonce %d bytes in, 4 long", i+1, got, within)
		}
	}
}

// Case 7: a clock is a changed system prompt, and the same minute is not.
func TestCase7Clock(t *testing.T) {
	c := newConversation(t)
	got := []Break{
		c.send(sentBody("Now: 10:01. The rest.", "", userItem("1"))),
		c.send(sentBody("Now: 10:02. The rest.", "", userItem("1"), answerItem("2"), userItem("3"))),
		c.send(sentBody("Now: 10:02. The rest.", "", userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5"))),
		c.send(sentBody("Now: 2026-11-30. The rest.", "", userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5"), answerItem("6"), userItem("7"))),
		c.send(sentBody("Now: 2026-12-01. The rest.", "", userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5"), answerItem("6"), userItem("7"), answerItem("8"), userItem("9"))),
	}
	for i, want := range []prefix.Cause{prefix.CauseColdStart, prefix.CauseSystemChanged, prefix.CauseNone, prefix.CauseSystemChanged, prefix.CauseSystemChanged} {
		if got[i].Cause != want {
			t.Errorf("request %d: %+v, want %s", i+1, got[i], want)
		}
	}
	if within := len(`{"role":"system","content":"Now: 10:0`); got[1].Within != within || got[1].Changed != 1 {
		t.Errorf("the minute: %+v, want 1 byte at %d", got[1], within)
	}
}

// Case 16: a summary that drops the tools, and pruning in place, are named; the
// request after them is judged against them.
func TestCase16Compaction(t *testing.T) {
	c := newConversation(t)
	items := []string{userItem("1"), answerItem("2"), userItem("3"), answerItem("4"), userItem("5")}
	c.send(sentBody("s", bareTool("pick"), items...))
	summary := c.send(sentBody("s", "", append(items, answerItem("6"), userItem("summarise"))...))
	if summary.Cause != prefix.CauseToolsChanged || summary.Name != "-pick" {
		t.Errorf("summary: %+v", summary)
	}
	items = append(items, answerItem("6"), userItem("7"))
	if got := c.send(sentBody("s", bareTool("pick"), items...)); got.Cause != prefix.CauseNone {
		t.Errorf("before pruning: %+v", got)
	}
	items[3] = answerItem("[old output cleared]")
	items = append(items, answerItem("8"), userItem("9"))
	pruned := c.send(sentBody("s", bareTool("pick"), items...))
	if pruned.Cause != prefix.CauseHistoryRewritten || pruned.Segment != prefix.SegmentHistory || pruned.Item != 3 {
		t.Errorf("pruned: %+v", pruned)
	}
	if got := c.send(sentBody("s", bareTool("pick"), append(items, answerItem("10"), userItem("11"))...)); got.Cause != prefix.CauseNone {
		t.Errorf("after pruning: %+v", got)
	}
}

func TestBreaksOfHistory(t *testing.T) {
	first := []string{userItem("1"), `{"role":"assistant","content":"2","x":1}`, userItem("3")}
	for _, tt := range []struct {
		name    string
		body    string
		lineage string
		cause   prefix.Cause
		item    int
	}{
		{"growth", sentBody("s", "", append(first, answerItem("4"), userItem("5"))...), "", prefix.CauseNone, 0},
		{"the same again", sentBody("s", "", first...), "", prefix.CauseNone, 0},
		{"another last prompt", sentBody("s", "", first[0], first[1], userItem("else")), "", prefix.CauseNone, 0},
		{"an earlier turn taken again", sentBody("s", "", userItem("other"), answerItem("2"), userItem("3")), "", prefix.CauseColdStart, 0},
		{"the same item in other bytes", sentBody("s", "", first[0], `{"x":1,"role":"assistant","content":"2"}`, first[2], answerItem("4"), userItem("5")), "", prefix.CauseReserialised, 1},
		{"a string for one part", sentBody("s", "", `{"role":"user","content":[{"type":"text","text":"1"}]}`, first[1], first[2], answerItem("4"), userItem("5")), "", prefix.CauseNone, 0},
		{"an edited answer", sentBody("s", "", first[0], answerItem("edited"), first[2]), "", prefix.CauseHistoryRewritten, 1},
		{"another conversation under the same head", sentBody("s", "", userItem("new")), "", prefix.CauseColdStart, 0},
		{"compacted to a summary", sentBody("s", "", userItem("summary"), answerItem("4"), userItem("5")), "session", prefix.CauseHistoryRewritten, 0},
		{"another model", strings.Replace(sentBody("s", "", append(first, answerItem("4"), userItem("5"))...), "m1", "m2", 1), "", prefix.CauseModelChanged, 0},
		{"another effort", strings.Replace(sentBody("s", "", append(first, answerItem("4"), userItem("5"))...), `{`, `{"reasoning_effort":"low",`, 1), "", prefix.CauseParamsChanged, 1},
		{"another system prompt", sentBody("t", "", append(first, answerItem("4"), userItem("5"))...), "", prefix.CauseSystemChanged, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newConversation(t)
			c.lineage = tt.lineage
			c.send(sentBody("s", "", first...))
			if got := c.send(tt.body); got.Cause != tt.cause || got.Item != tt.item {
				t.Errorf("%+v, want %s at %d", got, tt.cause, tt.item)
			}
		})
	}
}

// An answer stands behind the end of a request, where any other answer may have been given.
// Changed, it is told from another one by what follows: the conversation that was there before,
// or one of its own.
func TestBreaksAtAnAnswer(t *testing.T) {
	call := func(id, arguments string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"pick","arguments":` + string(prefix.Quote(arguments)) + `}}]}`
	}
	result := func(id string) string {
		return `{"role":"tool","tool_call_id":"` + id + `","content":"found"}`
	}
	loop := []string{userItem("1"), call("a", `{"at": 1}`), result("a"), call("b", `{"at": 2}`), result("b"), answerItem("done"), userItem("2")}
	replaced := func(i int, item string) []string {
		l := slices.Clone(loop)
		l[i] = item
		return l
	}
	for _, tt := range []struct {
		name  string
		items []string
		cause prefix.Cause
		item  int
	}{
		{"growth", append(slices.Clip(loop), answerItem("ok"), userItem("3")), prefix.CauseNone, 0},
		{"a call written anew", replaced(1, call("a", `{"at":1}`)), prefix.CauseReserialised, 1},
		{"a later one", replaced(3, call("b", `{"at":2}`)), prefix.CauseReserialised, 3},
		{"one with other arguments", replaced(1, call("a", `{"at":7}`)), prefix.CauseHistoryRewritten, 1},
		{"an answer in other words", replaced(5, answerItem("well done")), prefix.CauseNone, 0},
		{"a later one with other arguments", append(replaced(3, call("b", `{"at":7}`)), answerItem("ok"), userItem("3")), prefix.CauseHistoryRewritten, 3},
		{"another first prompt, which its client answers alike", []string{userItem("one"), loop[1], userItem("2")}, prefix.CauseColdStart, 0},
		{"a result that was cleared", replaced(2, `{"role":"tool","tool_call_id":"a","content":"-"}`), prefix.CauseHistoryRewritten, 2},
		{"the first prompt answered in another way", []string{loop[0], call("x", `{"at": 1}`), result("x")}, prefix.CauseNone, 0},
		{"and followed by the same words", []string{loop[0], answerItem("else"), userItem("2")}, prefix.CauseNone, 0},
		{"a later prompt answered in another way", []string{loop[0], loop[1], loop[2], call("y", `{"at": 2}`), result("y")}, prefix.CauseNone, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newConversation(t)
			for _, n := range []int{1, 3, 5, 7} {
				if got := c.send(sentBody("s", "", loop[:n]...)); n > 1 && got.Cause != prefix.CauseNone {
					t.Fatalf("%d items: %+v", n, got)
				}
			}
			if got := c.send(sentBody("s", "", tt.items...)); got.Cause != tt.cause || got.Item != tt.item {
				t.Errorf("%+v, want %s at %d", got, tt.cause, tt.item)
			}
		})
	}
}

// What a changed answer loses is what its own conversation had gone on to, not another one that
// begins with the same words.
func TestLossAtAChangedAnswer(t *testing.T) {
	x, s := NewIndex(IndexConfig{}), Scope{"t", "p", "m"}
	long, longer := strings.Repeat("word ", 1000), strings.Repeat("word ", 4000)
	sent := func(items ...string) Path {
		p := PathOf(simRender, prefix.Head{}, values(items...))
		x.Add(s, p, Sent{Answered: true}, at0)
		return p
	}
	sent(userItem("1"))
	own := sent(userItem("1"), answerItem("a"), userItem(long), answerItem("b"), userItem("2"))
	sent(userItem("1"), answerItem("else"), userItem(longer))
	p := PathOf(simRender, prefix.Head{}, values(userItem("1"), answerItem("A"), userItem(long), answerItem("b"), userItem("2")))
	if got := x.Look(s, p, "", at0); got.Before != own.Bytes(own.Len()) {
		t.Errorf("the earlier request had %d bytes, want %d", got.Before, own.Bytes(own.Len()))
	}
}

// A break has its place in the body that went up, whatever shape that has, and is avoidable
// where another way to say the same would have kept the prefix.
func TestBreakInTheBody(t *testing.T) {
	chat := func(fields, first, second string) string {
		return `{` + fields + `"messages":[{"role":"system","content":"s"},{"role":"developer","content":"` + first + `"},` + userItem("1") + `,` + answerItem(second) + `,` + userItem("3") + `,` + answerItem("4") + `,` + userItem("5") + `]}`
	}
	messages := func(system, first string) string {
		return `{"system":` + system + `,"messages":[` + userItem(first) + `,` + answerItem("2") + `,` + userItem("3") + `,` + answerItem("4") + `,` + userItem("5") + `]}`
	}
	responses := func(first, second string) string {
		return `{"instructions":"` + first + `","input":[{"role":"developer","content":"d"},` + userItem("1") + `,` + answerItem(second) + `,` + userItem("3") + `,` + answerItem("4") + `,` + userItem("5") + `]}`
	}
	for _, tt := range []struct {
		name      string
		kind      prefix.Kind
		was, now  string
		path      string
		avoidable bool
	}{
		{"a developer message", prefix.Chat, chat("", "d", "2"), chat("", "e", "2"), "messages[1]", true},
		{"an answer behind both", prefix.Chat, chat("", "d", "2"), chat("", "d", "two"), "messages[3]", false},
		{"a parameter", prefix.Chat, chat("", "d", "2"), chat(`"reasoning_effort":"low",`, "d", "2"), "reasoning_effort", false},
		{"the key of a cache", prefix.Chat, chat("", "d", "2"), chat(`"prompt_cache_key":"k",`, "d", "2"), "prompt_cache_key", true},
		{"a tool", prefix.Chat, chat(`"tools":[`+bareTool("a")+`],`, "d", "2"), chat(`"tools":[`+bareTool("a")+`,`+bareTool("b")+`],`, "d", "2"), "tools[1]", true},
		{"a system prompt apart", prefix.Messages, messages(`"s"`, "1"), messages(`"t"`, "1"), "system", true},
		{"a part of one", prefix.Messages, messages(`[{"type":"text","text":"s"},{"type":"text","text":"t"}]`, "1"), messages(`[{"type":"text","text":"s"},{"type":"text","text":"u"}]`, "1"), "system[1]", true},
		{"no system prompt any more", prefix.Messages, messages(`"s"`, "1"), strings.Replace(messages(`"s"`, "1"), `"system":"s",`, "", 1), "system", true},
		{"a part of one less", prefix.Messages, messages(`[{"type":"text","text":"s"},{"type":"text","text":"t"}]`, "1"), messages(`[{"type":"text","text":"s"}]`, "1"), "system[1]", true},
		{"a first system prompt", prefix.Messages, strings.Replace(messages(`"s"`, "1"), `"system":"s",`, "", 1), messages(`"s"`, "1"), "system", true},
		{"a message behind it", prefix.Messages, messages(`"s"`, "1"), strings.Replace(messages(`"s"`, "1"), `"2"`, `"two"`, 1), "messages[1]", false},
		{"instructions", prefix.Responses, responses("s", "2"), responses("t", "2"), "instructions", true},
		{"no instructions any more", prefix.Responses, responses("s", "2"), strings.Replace(responses("s", "2"), `"instructions":"s",`, "", 1), "input[0]", true},
		{"an item behind them", prefix.Responses, responses("s", "2"), responses("s", "two"), "input[2]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, s := NewIndex(IndexConfig{}), Scope{"t", "p", "m"}
			path := func(raw string) Path {
				b, err := prefix.Observe([]byte(raw), tt.kind)
				if err != nil {
					t.Fatal(err)
				}
				var items [][]byte
				for _, item := range b.Items[b.LeadingSystem():] {
					items = append(items, item.Raw)
				}
				return PathOf(simRender, prefix.HeadOf(b), items)
			}
			x.Add(s, path(tt.was), Sent{Answered: true}, at0)
			p := path(tt.now)
			if got := Explain(p, x.Look(s, p, "", at0)); got.Path() != tt.path || got.Avoidable() != tt.avoidable {
				t.Errorf("%q, avoidable %t: %+v; want %q", got.Path(), got.Avoidable(), got, tt.path)
			}
		})
	}
}

func TestIsNonce(t *testing.T) {
	for _, tt := range []struct {
		was, now string
		want     bool
	}{
		{"id=7f3a9c01 rest", "id=0b44de9f rest", true},
		{"req 550e8400-e29b-41d4-a716-446655440000.", "req 550e8400-e29b-41d4-a716-446655449999.", true},
		{"ts=1767112345;", "ts=1767112399;", true},
		{"Now: 10:01.", "Now: 10:02.", false},
		{"2026-11-30T10:01:22.123Z", "2026-11-30T10:02:22.456Z", false},
		{"on 30/11/2026 at", "on 01/12/2026 at", false},
		{"You are helpful.", "You are concise.", false},
		{"7 files", "8 files", false},
		{"a", "a b1", false},
		{"x" + strings.Repeat("a1", 300), "x" + strings.Repeat("b2", 300), false},
		{"same", "same", false},
		{"", "", false},
	} {
		if got := isNonce([]byte(tt.was), []byte(tt.now)); got != tt.want {
			t.Errorf("%.40q to %.40q: %v", tt.was, tt.now, got)
		}
	}
}

// TestPromptElsewhere: a request that goes on from a response which the provider holds shows
// only its end. It breaks nothing, and its tokens say nothing of its text.
func TestPromptElsewhere(t *testing.T) {
	x, s := NewIndex(IndexConfig{}), Scope{"t", "p", "m"}
	request := func(previous, text string) Path {
		b, err := prefix.Observe([]byte(`{"model":"m","previous_response_id":`+previous+`,"input":[`+userItem(text)+`]}`), prefix.Responses)
		if err != nil {
			t.Fatal(err)
		}
		return PathOf(simRender, prefix.HeadOf(b), [][]byte{b.Items[0].Raw})
	}
	first := request("null", "one two three four")
	x.Add(s, first, Sent{Lineage: "l", Answered: true, Tokens: prefix.Tokens(10)}, at0)
	for i := range 20 {
		p := request(fmt.Sprintf(`"resp_%d"`, i), "go on")
		found := x.Look(s, p, "l", at0)
		if b := Explain(p, found); b.Cause != prefix.CauseColdStart || b.Segment != "" || b.Name != "previous_response_id" {
			t.Errorf("%+v", b)
		}
		x.Add(s, p, Sent{Lineage: "l", Answered: true, Tokens: prefix.Tokens(100_000)}, at0)
	}
	p := request("null", "five six seven eight")
	if got, _ := x.Look(s, p, "", at0).Calibrate(p).Tokens(p.Bytes(p.Len())); got < 6 || got > 16 {
		t.Errorf("%d tokens, as none are known of its kind", got)
	}
}
