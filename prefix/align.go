package prefix

import "bytes"

// Options says what an alignment may assume and do. The zero value matches by
// bytes, where the client sees what was sent, and takes no entry as sent or echoed.
type Options struct {
	// Repair lets an item match by meaning; the bytes first sent then stand. An
	// answer of which the client sees another form than was sent always does.
	Repair bool

	// KeepReasoning: the provider wants its reasoning back as it gave it,
	// whatever the client returns.
	KeepReasoning bool

	// Sent is how many entries of the branch went upstream in a request.
	Sent int

	// Echoed is the Echoed of the branch's previous alignment.
	Echoed int

	// Stale is how many entries at the end of the branch stand no more, whatever
	// the client sends for them.
	Stale int

	// Echoes remembers matches by meaning; nil works without.
	Echoes *Echoes
}

// The kinds of repair of a history.
const (
	RepairAnswerReserialised = "answer_reserialised"
	RepairItemReserialised   = "item_reserialised"
	RepairResultsReordered   = "results_reordered"
	// RepairInsertionDropped counts what was inserted into a part of the history that the
	// client has compacted away or taken back, together with answers that it had returned.
	RepairInsertionDropped = "insertion_dropped"
)

// Alignment says how a client's visible items continue a branch.
type Alignment struct {
	// Keep is how many entries of the branch stand, hidden ones included.
	Keep int

	// Matched is how many of the client's items the kept entries stand for; New
	// are the others.
	Matched int
	New     []Item

	// Echoed is how many of the kept entries the client has confirmed, now or
	// earlier, by returning an answer behind or at them. Whoever keeps more than
	// Keep keeps the larger of this and Options.Echoed.
	Echoed int

	// Repairs counts the items that were not matched by their bytes:
	// Repair… kind → items.
	Repairs map[string]int

	// Settle is set when the client returned an answer that was never sent
	// upstream with other reasoning: the entry that takes its place.
	Settle *Settlement

	// Break is nil when the client only extended its history.
	Break *Mismatch

	// Carry are the insertions behind Keep, and the client's items that bear one,
	// whose answer the client never returned: when the branch goes back to Keep
	// the insertions move to the new tail, in order. Dropped go together with an
	// answer that it had returned.
	Carry, Dropped []Entry

	// Complete: every item matched and the branch holds nothing further but
	// what answers this very list. EndsInAnswer: the last item is the branch's
	// last answer, and nothing was answered after it. AtRequest: answers to this
	// list stand in the branch from Keep on, hidden steps or the whole.
	Complete, EndsInAnswer, AtRequest bool
}

// Settlement replaces an entry that was not sent yet.
type Settlement struct {
	Index int
	Entry Entry
}

// Mismatch says where a client's history leaves the branch.
type Mismatch struct {
	Item   int   // index of the client's item; the length of its list at a rewind
	Entry  int   // index of the visible entry it should have matched
	Offset int   // first byte in which the two differ
	Cause  Cause // history_rewritten, or reserialised where repair is off
	Rewind bool  // the client's list is a strict prefix of what it saw before
}

// Align matches a client's visible items with a branch, from entry from on: a
// fork child's client keeps only its own items, behind those it inherited.
//
// An item matches by its bytes, else, with Repair, by what it means. The
// longest stable prefix is kept: hidden entries stay where they are up to the
// first entry that does not match. A message that stands for several entries
// stands or falls with them; results of one batch may come in another order;
// an answer that looked empty may be missing.
func Align(branch Branch, from int, seen []Item, opt Options) Alignment {
	w := walk{opt: opt, from: from, until: branch.Len() - opt.Stale, last: from, shown: shownFrom(branch, from), seen: seen}
	w.match()
	a := Alignment{
		Matched: w.j,
		New:     seen[w.j:],
		Echoed:  max(w.echoed, min(opt.Echoed, branch.Len())),
		Repairs: w.repairs,
		Settle:  w.settled,
	}
	switch {
	case w.j == len(seen):
		a.complete(branch, &w)
	case w.i < len(w.shown):
		a.Keep = max(w.shown[w.i].first(), from)
		a.Break = w.mismatch()
	default:
		a.Keep = branch.Len()
	}
	if k := a.resultsAt(branch, w.last); k < a.Keep {
		a.Keep = k
		a.Break = &Mismatch{Item: w.j, Entry: k, Cause: CauseHistoryRewritten}
	}
	a.Echoed = min(a.Echoed, a.Keep)
	a.sortCut(branch, opt.Echoed)
	return a
}

// resultsAt is where the branch must end when the client goes on with a result
// that a batch ending at last still waits for, earlier given up by the client:
// no text and no answer may stand between calls and results. Otherwise it is
// the end of what is kept.
func (a *Alignment) resultsAt(branch Branch, last int) int {
	if len(a.New) == 0 || a.New[0].Role != "tool" {
		return a.Keep
	}
	end := last
	for end < a.Keep && branch.At(end).Origin == OriginResult {
		end++
	}
	if end < a.Keep {
		if b := openBatch(branch.Cut(end)); b.consume(a.New[0].ToolCallID) >= 0 {
			return end
		}
	}
	return a.Keep
}

// complete decides what a list without anything new asks for.
func (a *Alignment) complete(branch Branch, w *walk) {
	if rest := w.shown[w.i:]; len(rest) > 1 || len(rest) == 1 && !rest[0].isAnswer() {
		a.Keep = max(rest[0].first(), w.from)
		a.Break = &Mismatch{Item: len(w.seen), Entry: rest[0].at, Cause: CauseHistoryRewritten, Rewind: true}
		return
	}
	a.Complete = true
	a.Keep = branch.Len()
	for i, e := range branch.All(w.last) {
		if e.Origin == OriginAnswer {
			a.Keep, a.AtRequest = i, true
			break
		}
	}
	a.EndsInAnswer = !a.AtRequest && w.i > 0 && w.shown[w.i-1].isAnswer()
}

// sortCut decides about what lies behind the cut; echoed is what the client had
// confirmed before it changed its list.
func (a *Alignment) sortCut(branch Branch, echoed int) {
	for i, e := range branch.All(a.Keep) {
		switch {
		case !e.Origin.inserted() && e.ID == "":
		case i < echoed:
			a.Dropped = append(a.Dropped, *e)
		default:
			a.Carry = append(a.Carry, *e)
		}
	}
}

// shown is an entry that the client sees.
type shown struct {
	*Entry
	at int
}

func shownFrom(branch Branch, from int) []shown {
	list := make([]shown, 0, max(branch.Len()-from, 0))
	for i, e := range branch.All(from) {
		if !e.Hidden {
			list = append(list, shown{e, i})
		}
	}
	return list
}

// first is the index of the first entry that the visible message stands for.
func (s shown) first() int { return s.at - max(s.Group, 1) + 1 }

// isAnswer includes an answer in several steps whose last item is one of our
// results.
func (s shown) isAnswer() bool { return s.Origin == OriginAnswer || s.Group > 1 }

// walk is an alignment under way: seen[:j] stands for shown[:i], some of which
// it may leave out.
type walk struct {
	opt     Options
	from    int
	until   int // index of the first entry that may not match
	shown   []shown
	seen    []Item
	i, j    int
	last    int // index behind the last entry that matched
	echoed  int
	repairs map[string]int
	settled *Settlement
}

func (w *walk) match() {
	for w.i < len(w.shown) && w.j < len(w.seen) && w.shown[w.i].at < w.until {
		s, item := w.shown[w.i], w.seen[w.j].Raw
		switch {
		case bytes.Equal(s.Visible(), item):
			w.accept(s, item, "")
		case w.opt.Repair && w.opt.Echoes.same(s.Visible(), item):
			kind := RepairItemReserialised
			if s.isAnswer() {
				kind = RepairAnswerReserialised
			}
			w.accept(s, item, kind)
		case s.isAnswer() && (s.Group > 1 || len(s.Seen) > 0) && w.opt.Echoes.same(s.Visible(), item):
			w.accept(s, item, "") // the client has no bytes for what it does not see of it
		case w.opt.Repair && w.seen[w.j].Role == "tool" && w.matchBatch():
		case s.isAnswer() && isEmptyAnswer(s.Visible()):
			w.i++
		default:
			return
		}
	}
}

// accept takes the next item as the echo of the next entry.
func (w *walk) accept(s shown, item []byte, repair string) {
	if repair != "" {
		w.repaired(repair, 1)
	}
	if s.isAnswer() {
		w.echoed = s.at + 1
		if s.at >= w.opt.Sent && repair != "" && !w.opt.KeepReasoning {
			if e, ok := s.settle(item); ok {
				w.settled = &Settlement{s.at, e}
			}
		}
	}
	w.last = s.at + 1
	w.i++
	w.j++
}

func (w *walk) repaired(kind string, n int) {
	if n == 0 {
		return
	}
	if w.repairs == nil {
		w.repairs = make(map[string]int)
	}
	w.repairs[kind] += n
}

func (w *walk) mismatch() *Mismatch {
	s, item := w.shown[w.i], w.seen[w.j].Raw
	m := &Mismatch{Item: w.j, Entry: s.at, Cause: CauseHistoryRewritten}
	if !w.opt.Repair && Same(s.Visible(), item) {
		m.Cause = CauseReserialised
	}
	sent := s.Visible()
	for m.Offset < min(len(sent), len(item)) && sent[m.Offset] == item[m.Offset] {
		m.Offset++
	}
	return m
}

// isEmptyAnswer reports an assistant item without text and calls. Clients leave
// such items out.
func isEmptyAnswer(item []byte) bool {
	o, ok := membersOf(item)
	return ok && o.text("role") == "assistant" && len(partsOf(o.get("content"))) == 0 &&
		len(o.objects("tool_calls")) == 0 && o.get("function_call") == nil
}
