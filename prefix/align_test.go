package prefix

import (
	"fmt"
	"strings"
	"testing"
)

// Short forms for stories. An item is written "u hi", "a hi", "t a1 done" or
// "c text a1 b2": an assistant message that calls a1 and b2.
func itemOf(short string) string {
	word := strings.Fields(short)
	rest := strings.Join(word[1:], " ")
	switch word[0] {
	case "u":
		return string(append(append([]byte(`{"role":"user","content":`), Quote(rest)...), '}'))
	case "a":
		return string(append(append([]byte(`{"role":"assistant","content":`), Quote(rest)...), '}'))
	case "t":
		return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, word[1], strings.Join(word[2:], " "))
	case "c":
		var calls []string
		for _, id := range word[2:] {
			calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":"{ }"}}`, id))
		}
		return fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[%s]}`, word[1], strings.Join(calls, ","))
	}
	panic(short)
}

func answered(short string) Entry { return Entry{Item: []byte(itemOf(short)), Origin: OriginAnswer} }
func fromUser(short string) Entry { return Entry{Item: []byte(itemOf(short))} }

func inserted(id string) Entry {
	return Entry{Item: []byte(itemOf("u message " + id)), Hidden: true, Origin: OriginMessage, ID: id}
}

func ourResult(short string) Entry {
	return Entry{Item: []byte(itemOf(short)), Hidden: true, Origin: OriginResult}
}

func hidden(e Entry) Entry {
	e.Hidden = true
	return e
}

// joined is the last of group entries, seen as one message.
func joinedAs(seen string, group int, e Entry) Entry {
	e.Seen, e.Group = []byte(itemOf(seen)), group
	return e
}

func branchOf(entries ...Entry) Branch {
	b, _ := Branch{}.Append(entries)
	return b
}

// itemsOf splits a client's list.
func itemsOf(t testing.TB, raws ...string) []Item {
	t.Helper()
	body, err := Split([]byte(`{"messages":[` + strings.Join(raws, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return body.Items
}

func seenOf(t testing.TB, shorts ...string) []Item {
	t.Helper()
	raws := make([]string, len(shorts))
	for i, s := range shorts {
		raws[i] = itemOf(s)
	}
	return itemsOf(t, raws...)
}

func idsOf(entries []Entry) string {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, " ")
}

var repairing = Options{Repair: true}

func TestAlign(t *testing.T) {
	plain := branchOf(fromUser("u one"), answered("a two"), fromUser("u three"), answered("a four"))
	steered := branchOf(fromUser("u one"), answered("a two"), inserted("m"), fromUser("u three"), answered("a four"))
	batch := branchOf(fromUser("u one"), answered("c x a b"), fromUser("t a 1"), fromUser("t b 2"), inserted("m"), answered("a four"))
	steps := branchOf(fromUser("u one"), hidden(answered("c x s")), ourResult("t s ok"), inserted("m"), joinedAs("a xfour", 4, answered("a four")))
	broken := branchOf(fromUser("u one"), hidden(answered("c x s")), ourResult("t s ok"))
	for _, c := range []struct {
		name   string
		branch Branch
		seen   []string
		echoed int
		want   string // keep matched new, then what else is set
	}{
		{"nothing at all", Branch{}, nil, 0, "0 0 0 complete"},
		{"a first request", Branch{}, []string{"u one"}, 0, "0 0 1"},
		{"extended", plain, []string{"u one", "a two", "u three", "a four", "u five"}, 0, "4 4 1"},
		{"the same again", plain, []string{"u one", "a two", "u three"}, 0, "3 3 0 complete at-request"},
		{"ends in our answer", plain, []string{"u one", "a two", "u three", "a four"}, 0, "4 4 0 complete ends-in-answer"},
		{"rewound", plain, []string{"u one"}, 0, "1 1 0 rewind@1/1"},
		{"rewound to nothing", plain, nil, 0, "0 0 0 rewind@0/0"},
		{"edited", plain, []string{"u one", "a TWO", "u three"}, 0, "1 1 2 edit@1/1"},
		{"edited at the start", plain, []string{"u ONE", "a two"}, 0, "0 0 2 edit@0/0"},
		{"an answer regenerated", plain, []string{"u one", "u three"}, 0, "1 1 1 edit@1/1"},
		{"case 8, an insertion stands", steered, []string{"u one", "a two", "u three", "a four", "u five"}, 0, "5 4 1"},
		{"and before a change", steered, []string{"u one", "a two", "u THREE"}, 0, "3 2 1 edit@2/3"},
		{"but not behind one", steered, []string{"u one", "a TWO", "u three"}, 0, "1 1 2 edit@1/1 carry=m"},
		{"compacted, its answer echoed", steered, []string{"u summary"}, 5, "0 0 1 edit@0/0 dropped=m"},
		{"compacted, its answer not echoed", steered, []string{"u summary"}, 2, "0 0 1 edit@0/0 carry=m"},
		{"retried behind an insertion", batch, []string{"u one", "c x a b", "t a 1", "t b 2"}, 0, "5 4 0 complete at-request"},
		{"results in another order", batch, []string{"u one", "c x a b", "t b 2", "t a 1", "a four"}, 0, "6 5 0 complete ends-in-answer results_reordered=2"},
		{"one result only", batch, []string{"u one", "c x a b", "t a 1"}, 0, "3 3 0 rewind@3/3 carry=m"},
		{"the other one only", batch, []string{"u one", "c x a b", "t b 2", "u go on"}, 0, "2 2 2 edit@2/2 carry=m"},
		{"case 16, a result cleared", batch, []string{"u one", "c x a b", "t a 1", "t b cleared", "a four"}, 6, "3 3 2 edit@3/3 dropped=m"},
		{"a group", steps, []string{"u one", "a xfour", "u five"}, 0, "5 2 1"},
		{"a group, changed", steps, []string{"u one", "a xFOUR", "u five"}, 0, "1 1 2 edit@1/4 carry=m"},
		{"a group, asked for again", steps, []string{"u one"}, 0, "1 1 0 complete at-request carry=m"},
		{"broken steps, asked for again", broken, []string{"u one"}, 0, "1 1 0 complete at-request"},
		{"broken steps, passed over", broken, []string{"u one", "u two"}, 0, "3 1 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := Align(c.branch, 0, seenOf(t, c.seen...), Options{Repair: true, Echoed: c.echoed})
			if got := summary(a); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func summary(a Alignment) string {
	var s strings.Builder
	s.WriteString(fmt.Sprint(a.Keep, a.Matched, len(a.New)))
	for _, f := range []struct {
		set  bool
		name string
	}{{a.Complete, "complete"}, {a.AtRequest, "at-request"}, {a.EndsInAnswer, "ends-in-answer"}} {
		if f.set {
			s.WriteString(" " + f.name)
		}
	}
	if m := a.Break; m != nil {
		kind := "edit"
		if m.Rewind {
			kind = "rewind"
		}
		s.WriteString(fmt.Sprintf(" %s@%d/%d", kind, m.Item, m.Entry))
	}
	if a.Carry != nil {
		s.WriteString(" carry=" + idsOf(a.Carry))
	}
	if a.Dropped != nil {
		s.WriteString(" dropped=" + idsOf(a.Dropped))
	}
	for _, kind := range []string{RepairAnswerReserialised, RepairItemReserialised, RepairResultsReordered} {
		if n := a.Repairs[kind]; n > 0 {
			s.WriteString(fmt.Sprintf(" %s=%d", kind, n))
		}
	}
	return s.String()
}

// TestAlignInherited: a fork child's client keeps only its own items.
func TestAlignInherited(t *testing.T) {
	parent := branchOf(fromUser("u one"), answered("a two"))
	child, _ := parent.Append([]Entry{
		{Item: []byte(itemOf("u task and guidance")), Seen: []byte(itemOf("u task")), Origin: OriginTask},
		answered("a done"),
	})
	for _, c := range []struct {
		seen []string
		want string
	}{
		{[]string{"u task", "a done", "u more"}, "4 2 1"},
		{[]string{"u task"}, "3 1 0 complete at-request"},
		{[]string{"u summary"}, "2 0 1 edit@0/2"},
		{nil, "2 0 0 rewind@0/2"},
	} {
		a := Align(child, parent.Len(), seenOf(t, c.seen...), repairing)
		if got := summary(a); got != c.want {
			t.Errorf("%q: got %s, want %s", c.seen, got, c.want)
		}
	}
}

func TestAlignCountsRepairs(t *testing.T) {
	b := branchOf(fromUser("u one"), answered("c x a"), fromUser("t a 1"), answered("a two"))
	seen := itemsOf(t,
		`{"content":"one","role":"user"}`,
		`{"role":"assistant","content":"x","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		itemOf("t a 1"),
		`{"role":"assistant","content":[{"type":"text","text":"two"}]}`,
		itemOf("u new"))
	a := Align(b, 0, seen, repairing)
	if got, want := summary(a), "4 4 1 answer_reserialised=2 item_reserialised=1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// With repair off the client's bytes go up, and the break says why.
	a = Align(b, 0, seen, Options{})
	if a.Break == nil || a.Break.Cause != CauseReserialised || a.Keep != 0 || a.Repairs != nil {
		t.Errorf("repair off: %s, break %+v", summary(a), a.Break)
	}
}

func TestAlignNamesTheByte(t *testing.T) {
	b := branchOf(fromUser("u one"))
	a := Align(b, 0, seenOf(t, "u two"), repairing)
	if want := len(`{"role":"user","content":"`); a.Break == nil || a.Break.Offset != want || a.Break.Cause != CauseHistoryRewritten {
		t.Errorf("%+v, want offset %d", a.Break, want)
	}
}

// TestAlignSkipsEmptyAnswers: case 41; clients leave out what looked empty.
func TestAlignSkipsEmptyAnswers(t *testing.T) {
	empty := Entry{Item: []byte(itemOf("c x s")), Seen: []byte(`{"role":"assistant","content":""}`), Origin: OriginAnswer}
	b := branchOf(fromUser("u one"), empty, ourResult("t s ok"), fromUser("u two"), answered("a three"))
	for _, seen := range [][]Item{
		seenOf(t, "u one", "u two", "a three", "u four"),
		itemsOf(t, itemOf("u one"), `{"role":"assistant","content":null}`, itemOf("u two"), itemOf("a three"), itemOf("u four")),
	} {
		if a := Align(b, 0, seen, repairing); a.Keep != 5 || a.Break != nil || len(a.New) != 1 {
			t.Errorf("got %s", summary(a))
		}
	}
}

// TestAlignRepeatedCallIDs: case 42; results pair by position.
func TestAlignRepeatedCallIDs(t *testing.T) {
	b := branchOf(
		fromUser("u one"), answered("c x f f g"), fromUser("t f 1"), fromUser("t f 2"), fromUser("t g 3"),
		answered("c y f"), fromUser("t f 4"), answered("a end"))
	a := Align(b, 0, seenOf(t, "u one", "c x f f g", "t g 3", "t f 1", "t f 2", "c y f", "t f 4", "a end", "u more"), repairing)
	if a.Keep != 8 || a.Break != nil || a.Repairs[RepairResultsReordered] != 3 {
		t.Errorf("permuted: %s", summary(a))
	}
	a = Align(b, 0, seenOf(t, "u one", "c x f f g", "t f 2", "t f 1", "t g 3"), repairing)
	if a.Keep != 2 || a.Break == nil {
		t.Errorf("two results of one id exchanged: %s", summary(a))
	}
}

// TestAlignLateResult: a client gives up a batch and later completes it after
// all; its result then must not stand behind what answered the incomplete batch.
func TestAlignLateResult(t *testing.T) {
	b := branchOf(fromUser("u one"), answered("c x a b"), fromUser("t a 1"), hidden(answered("c y s")), ourResult("t s ok"))
	a := Align(b, 0, seenOf(t, "u one", "c x a b", "t a 1", "t b 2"), repairing)
	if got, want := summary(a), "3 3 1 edit@3/3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	a = Align(b, 0, seenOf(t, "u one", "c x a b", "t a 1", "t nobody 2"), repairing)
	if got, want := summary(a), "5 3 1"; got != want {
		t.Errorf("an orphan: got %s, want %s", got, want)
	}
}
