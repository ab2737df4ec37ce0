package prefix

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// simulation is one agent: its client, a random provider, and a proxy that
// embeds the package the way its comments ask for. Next to the branch under
// test runs the reference.
type simulation struct {
	client
	branch  Branch
	from    int // entries inherited
	opt     Options
	pending []Entry // insertions not placed yet
	ref     reference
	known   map[string]unit // item bytes → what they mean
	sent    [][]byte        // what went upstream last
	asked   int             // entries up to the end of the client's last request
	waiting map[string]bool // insertion id → accepted, and not dropped since
	echoed  map[string]bool // insertion id → an answer behind it came back
	child   bool
	log     *strings.Builder // nil: not kept
}

func newSimulation(d dice) *simulation {
	number := 0
	s := &simulation{known: make(map[string]unit), waiting: make(map[string]bool), echoed: make(map[string]bool)}
	s.client = client{d: d, number: &number, style: randomStyle(d), oneID: d.oneIn(4)}
	s.opt = Options{Repair: true, KeepReasoning: d.oneIn(3), Echoes: NewEchoes(8)}
	return s
}

// run serves a few requests, and forks in between.
func (s *simulation) run() error {
	for range 2 + s.d(6) {
		s.act()
		if err := s.exchange(); err != nil {
			return err
		}
		if s.d.oneIn(8) && s.turnEnded() {
			if err := s.fork().run(); err != nil {
				return fmt.Errorf("fork: %w", err)
			}
		}
	}
	return nil
}

func (s *simulation) logf(format string, args ...any) {
	if s.log != nil {
		fmt.Fprintf(s.log, format, args...)
	}
}

func (s *simulation) turnEnded() bool {
	n := len(s.ref)
	return n > 0 && s.ref[n-1].answer && !s.ref[n-1].hidden && len(s.ref[n-1].calls) == 0 && s.ref[n-1].role == "assistant"
}

func (s *simulation) fork() *simulation {
	c := newSimulation(s.d)
	c.number, c.log = s.number, s.log
	c.branch, c.from, c.child = s.branch, s.branch.Len(), true
	c.ref = slices.Clone(s.ref)
	c.sent = s.branch.Items(0)
	c.opt.Sent = c.from
	return c
}

// exchange serves the client's list as it is now.
func (s *simulation) exchange() error {
	raws := make([]string, len(s.list))
	for i, m := range s.list {
		raws[i] = s.style.write(m)
		s.known[raws[i]] = unit{message: m, visible: m.tag}
	}
	body, err := Split([]byte(`{"messages":[` + strings.Join(raws, ",") + `]}`))
	if err != nil {
		return err
	}
	s.logf("client %s\n", raws)
	a := Align(s.branch, s.from, body.Items, s.opt)
	if err := s.judge(a); err != nil {
		return err
	}
	// An earlier request than the last one is asked anew, from there.
	if a.Complete && a.AtRequest && a.Keep == s.asked && s.d.oneIn(2) {
		s.opt.Echoed = max(s.opt.Echoed, a.Echoed)
		return s.replay()
	}
	if a.Complete && a.EndsInAnswer && len(s.pending) == 0 {
		s.opt.Echoed = a.Echoed
		return nil // refused: nothing is pending
	}
	base, err := s.base(a)
	if err != nil {
		return err
	}
	entries := Merge(base, a.New)
	if err := s.checkMerged(a, entries); err != nil {
		return err
	}
	if s.child && a.Keep == s.from {
		attachGuidance(entries)
	}
	s.pending = append(slices.Clone(a.Carry), s.pending...)
	for _, e := range a.Dropped {
		delete(s.waiting, e.ID)
	}
	if s.d.oneIn(3) {
		s.message()
	}
	entries = s.insert(base, entries, slices.ContainsFunc(a.New, func(i Item) bool { return i.Role == "user" }))
	s.branch = base
	s.ref = s.ref[:a.Keep:a.Keep]
	s.append(entries)
	if err := s.send(a); err != nil {
		return err
	}
	s.asked = s.branch.Len()
	return s.answer()
}

// judge compares an alignment with the reference's.
func (s *simulation) judge(a Alignment) error {
	want := s.ref.judge(s.from, s.list)
	if a.Matched != want.matched || a.Keep != want.keep && !want.free {
		return fmt.Errorf("kept %d for %d items, the reference %d for %d", a.Keep, a.Matched, want.keep, want.matched)
	}
	for _, e := range a.Carry {
		if s.echoed[e.ID] {
			return fmt.Errorf("insertion %s moves, though its answer came back", e.ID)
		}
	}
	for _, e := range a.Dropped {
		if !s.echoed[e.ID] {
			return fmt.Errorf("insertion %s is dropped, though its answer never came back", e.ID)
		}
	}
	for _, u := range s.ref[:want.echoed] {
		if u.insertion != "" {
			s.echoed[u.insertion] = true
		}
	}
	return nil
}

// replay continues from steps that the client never saw the end of, or hands
// out the answer that it never got.
func (s *simulation) replay() error {
	if last := len(s.ref) - 1; !s.ref[last].hidden && s.ref[last].answer {
		seen := s.known[string(s.branch.At(last).Visible())]
		s.list = append(slices.Clone(s.list), seen.message)
		return nil
	}
	return s.answer()
}

// base is what is kept, settled.
func (s *simulation) base(a Alignment) (Branch, error) {
	base := s.branch.Cut(a.Keep)
	if a.Settle == nil {
		return base, nil
	}
	if a.Settle.Index < s.opt.Sent {
		return base, fmt.Errorf("entry %d settled, though %d were sent", a.Settle.Index, s.opt.Sent)
	}
	if a.Settle.Index >= a.Keep {
		return base, fmt.Errorf("entry %d settled, though only %d are kept", a.Settle.Index, a.Keep)
	}
	settled := []Entry{a.Settle.Entry}
	for _, e := range base.All(a.Settle.Index + 1) {
		settled = append(settled, *e)
	}
	was := base.At(a.Settle.Index)
	if !Same(was.Item, a.Settle.Entry.Item) || s.style.noThoughts == bytes.Contains(a.Settle.Entry.Item, []byte("reasoning")) {
		return base, fmt.Errorf("%s settled as %s", was.Item, a.Settle.Entry.Item)
	}
	if was.Group > 1 && !s.style.noThoughts {
		return base, fmt.Errorf("joined reasoning went into one step: %s", a.Settle.Entry.Item)
	}
	base, _ = base.Cut(a.Settle.Index).Append(settled)
	return base, nil
}

// checkMerged: the client's items are all there, unchanged; only results may
// have changed places, and those of a mixed answer stand in call order.
func (s *simulation) checkMerged(a Alignment, entries []Entry) error {
	if a.Keep > 0 && validList(s.list) {
		for i, c := range s.ref[a.Keep-1].calls {
			u := s.known[string(entries[i].Item)]
			if c.ours != (u.ours == c.n) || s.mixed(a.Keep-1) && u.toolID != c.id {
				return fmt.Errorf("call %d is answered by %s", i, entries[i].Item)
			}
		}
	}
	items := a.New
	var want, got []string
	for _, item := range items {
		want = append(want, string(item.Raw))
	}
	for _, e := range entries {
		if !e.Hidden {
			got = append(got, string(e.Item))
		}
	}
	results := 0
	for results < len(items) && items[results].Role == "tool" {
		results++
	}
	if len(got) == len(want) {
		slices.Sort(want[:results])
		slices.Sort(got[:results])
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("merged %s from %s", got, want)
	}
	return nil
}

// mixed reports whether a unit calls tools of ours and of the client.
func (s *simulation) mixed(at int) bool {
	ours := func(c simCall) bool { return c.ours }
	return slices.ContainsFunc(s.ref[at].calls, ours)
}

func attachGuidance(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		if roleOf(e.Item) != "user" {
			continue
		}
		if item, ok := AppendText(e.Item, "\n\nguidance"); ok {
			e.Seen, e.Item, e.Origin = e.Item, item, OriginTask
		}
		return
	}
}

// message accepts a message for the agent.
func (s *simulation) message() {
	m := s.say("user", "message")
	item := style{}.write(m)
	id := "m" + strconv.Itoa(m.tag)
	s.known[item] = unit{message: m, hidden: true, insertion: id}
	s.waiting[id] = true
	s.pending = append(s.pending, Entry{Item: []byte(item), Hidden: true, Origin: OriginMessage, ID: id})
}

// insert places what is pending.
func (s *simulation) insert(base Branch, entries []Entry, firstStep bool) []Entry {
	at := Place(base, entries, firstStep)
	if at < 0 {
		return entries
	}
	entries = slices.Insert(entries, at, s.pending...)
	s.pending = nil
	return entries
}

// append puts entries into the branch and, by what they mean, into the
// reference.
func (s *simulation) append(entries []Entry) {
	s.branch, _ = s.branch.Append(entries)
	for _, e := range entries {
		u, ok := s.known[string(e.Item)]
		if !ok || e.Origin == OriginTask {
			u = s.known[string(e.Visible())]
		}
		if e.Group > 1 || len(e.Seen) > 0 {
			seen := s.known[string(e.Visible())]
			u.visible, u.empty = seen.visible, seen.empty
		}
		u.hidden = e.Hidden
		u.answer = e.Origin == OriginAnswer || e.Group > 1
		u.first = len(s.ref) - max(e.Group, 1) + 1
		s.ref = append(s.ref, u)
	}
}

// send checks what goes upstream now.
func (s *simulation) send(a Alignment) error {
	items := s.branch.Items(0)
	stable := min(a.Keep, s.opt.Sent)
	for i := range stable {
		if !bytes.Equal(items[i], s.sent[i]) {
			return fmt.Errorf("item %d of %d kept was sent as %s and is now %s", i, a.Keep, s.sent[i], items[i])
		}
	}
	if a.Break == nil && !a.AtRequest && stable < s.opt.Sent {
		return fmt.Errorf("%d of %d sent items stand, and no break is reported", stable, s.opt.Sent)
	}
	if err := s.ref.check(validList(s.list) && s.ref[:s.from].valid()); err != nil {
		return err
	}
	for i := range s.from {
		if !bytes.Equal(items[i], s.sent[i]) {
			return fmt.Errorf("inherited item %d changed", i)
		}
	}
	if err := s.checkInsertions(); err != nil {
		return err
	}
	s.logf("sent   %s\n", items)
	s.sent, s.opt.Sent, s.opt.Echoed = items, len(items), a.Echoed
	return nil
}

// checkInsertions: each one that was accepted and not dropped is in one place.
func (s *simulation) checkInsertions() error {
	places := make(map[string]int)
	for i, u := range s.ref[s.from:] {
		places[u.insertion]++
		if e := s.branch.At(s.from + i); e.Origin == OriginTask && i > 0 && s.ref[s.from+i-1].insertion != "" {
			return fmt.Errorf("insertion %s stands before the task", s.ref[s.from+i-1].insertion)
		}
	}
	for _, e := range s.pending {
		places[e.ID]++
	}
	for id := range s.waiting {
		if places[id] != 1 {
			return fmt.Errorf("insertion %s is in %d places", id, places[id])
		}
	}
	return nil
}
