package prefix

import "testing"

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
