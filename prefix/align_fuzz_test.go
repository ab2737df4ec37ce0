package prefix

import (
	"strings"
	"testing"

	"trunkline/e2e/recordings"
)

// retold are histories as numbered faults of the field have them, each with what the client
// makes of it in its next request.
var retold = map[string][2][]string{
	"case 2, extra fields swap places": {
		{itemOf("u q"), `{"role":"assistant","content":"","reasoning_content":"r","reasoning_details":[{"type":"t","text":"r"}]}`},
		{itemOf("u q"), `{"role":"assistant","content":"","reasoning_details":[{"type":"t","text":"r"}],"reasoning_content":"r"}`, itemOf("u on")},
	},
	"case 8, a reminder goes": {
		{itemOf("u start"), itemOf("a yes"), `{"role":"user","content":[{"type":"text","text":"<note>n1</note>"},{"type":"text","text":"go"}]}`},
		{itemOf("u start"), itemOf("a yes"), itemOf("u go"), itemOf("a yes"), itemOf("u more")},
	},
	"case 12, arguments are dumped anew": {
		{itemOf("u go"), `{"role":"assistant","content":"ok \n\n","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{ \"b\" : 2.50,\"a\":\"é\"}"}}]}`},
		{itemOf("u go"), `{"role":"assistant","content":"ok","tool_calls":[{"id":"a1","type":"function","function":{"name":"pick","arguments":"{\"a\": \"\\u00e9\", \"b\": 2.5}"}}]}`, itemOf("t a1 x")},
	},
	"case 13, reasoning is left out": {
		{itemOf("u go"), `{"role":"assistant","content":null,"reasoning_content":"think","tool_calls":[{"id":"a1","type":"function","function":{"name":"f","arguments":"{}"}}]}`},
		{itemOf("u go"), `{"role":"assistant","tool_calls":[{"id":"a1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, itemOf("t a1 x")},
	},
	"case 16, an output is cleared": {
		{itemOf("u 1"), itemOf("c x a"), itemOf("t a long output"), itemOf("a yes")},
		{itemOf("u 1"), itemOf("c x a"), itemOf("t a [old output cleared]"), itemOf("a yes"), itemOf("u 2")},
	},
	"case 16, compacted": {
		{itemOf("u 1"), itemOf("a yes"), itemOf("u 2"), itemOf("a yes")},
		{itemOf("u a summary"), itemOf("a yes"), itemOf("u 3")},
	},
	"case 37, half a character": {
		{`{"role":"user","content":"half \ud83d end"}`, itemOf("a yes")},
		{"{\"role\":\"user\",\"content\":\"half \xff end\"}", itemOf("a yes"), itemOf("u on")},
	},
	"case 41, three things": {
		{itemOf("u 1"), `{"role":"assistant","content":null,"tool_calls":[]}`, `{"role":"assistant","content":""}`},
		{itemOf("u 1"), `{"role":"assistant","content":""}`, `{"role":"assistant"}`, itemOf("u on")},
	},
	"case 42, equal ids": {
		{itemOf("u 1"), itemOf("c x f:0 f:0"), itemOf("t f:0 1"), itemOf("t f:0 2"), itemOf("c x f:0"), itemOf("t f:0 3")},
		{itemOf("u 1"), itemOf("c x f:0 f:0"), itemOf("t f:0 2"), itemOf("t f:0 1"), itemOf("c x f:0"), itemOf("t f:0 3"), itemOf("u on")},
	},
	"case 43, a call without its result, and the reverse": {
		{itemOf("u 1"), itemOf("c x a b"), itemOf("t a 1"), itemOf("u on")},
		{itemOf("u 1"), itemOf("t a 1"), itemOf("c x b"), itemOf("u on"), itemOf("a yes")},
	},
}

// keptOf encodes what the proxy keeps of a client's list.
func keptOf(items []Item) []byte {
	var entries []Entry
	for _, it := range items {
		e := Entry{Item: it.Raw}
		if it.Role == "assistant" {
			e.Origin = OriginAnswer
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	_, seg := Branch{}.Append(entries)
	return seg.Encode()
}

// FuzzAlign: whatever a store and a client hold, nothing panics, the results
// are in range, and what is kept and what is new is all there is.
func FuzzAlign(f *testing.F) {
	mixed := answered("c x a s")
	mixed.Seen, mixed.Held = []byte(itemOf("c x a")), []Held{{1, []byte(itemOf("t s ok"))}}
	_, seg := Branch{}.Append([]Entry{
		{Item: []byte(itemOf("u task more")), Seen: []byte(itemOf("u task")), Origin: OriginTask},
		mixed, fromUser("t a 1"), ourResult("t s ok"), inserted("m"),
		hidden(answered("c y r")), ourResult("t r ok"), joinedAs("a yz", 3, answered("a z")),
	})
	f.Add(seg.Encode(), []byte(`{"messages":[`+itemOf("u task")+`,`+itemOf("c x a")+`,`+itemOf("t a 1")+`,`+itemOf("a yz")+`,`+itemOf("u on")+`]}`), uint(0), uint(3), true)
	_, seg = Branch{}.Append([]Entry{{Item: []byte(`[1]`), Group: 9, Held: []Held{{Ordinal: 7}}}, {}})
	f.Add(seg.Encode(), []byte(`{"messages":[{"role":"tool","tool_call_id":1},[],null,{"role":"assistant","tool_calls":[1]}]}`), uint(1), uint(9), false)
	for _, pair := range retold {
		body := []byte(`{"messages":[` + strings.Join(pair[1], ",") + `]}`)
		kept := keptOf(itemsOf(f, pair[0]...))
		f.Add(kept, body, uint(0), uint(len(pair[0])), true)
		f.Add(kept, body, uint(1), uint(16*len(pair[0])), false)
	}
	conversations, _ := recordings.Seeds(f)
	for _, bodies := range conversations {
		for i := range len(bodies) - 1 {
			f.Add(keptOf(mustSplit(f, bodies[i]).Items), []byte(bodies[i+1]), uint(0), uint(0), true)
		}
	}
	f.Fuzz(func(t *testing.T, raw, body []byte, from, known uint, repair bool) {
		seg, err := DecodeSegment(raw)
		if err != nil {
			return
		}
		request, err := Split(body)
		if err != nil {
			return
		}
		b, _ := Branch{}.Append(seg.Entries)
		inherited := int(from % uint(b.Len()+1))
		opt := Options{Repair: repair, Sent: int(known % 16), Echoed: int(known / 16 % 16), Echoes: NewEchoes(2)}
		a := Align(b, inherited, request.Items, opt)
		if a.Keep < inherited || a.Keep > b.Len() || a.Echoed > a.Keep || a.Matched+len(a.New) != len(request.Items) {
			t.Fatalf("%s of %d entries from %d, %d items", summary(a), b.Len(), inherited, len(request.Items))
		}
		if a.Complete && (a.Break != nil || len(a.New) > 0) {
			t.Fatalf("complete, and yet %s", summary(a))
		}
		if a.Settle != nil && (a.Settle.Index < opt.Sent || a.Settle.Index >= a.Keep) {
			t.Fatalf("settled entry %d of %s", a.Settle.Index, summary(a))
		}
		base := b.Cut(a.Keep)
		entries := Merge(base, a.New)
		if len(entries) < len(a.New) {
			t.Fatalf("%d entries for %d items", len(entries), len(a.New))
		}
		for _, first := range []bool{true, false} {
			if at := Place(base, entries, first); at < -1 || at > len(entries) {
				t.Fatalf("place %d of %d", at, len(entries))
			}
		}
	})
}
