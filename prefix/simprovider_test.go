package prefix

import "strconv"

// answer runs the steps of one response: calls of ours are executed, messages
// that arrived are read at the boundary, and the client gets one message.
func (s *simulation) answer() error {
	first := s.branch.Len()
	// Steps of an earlier, broken response are part of this one.
	for first > s.from && s.ref[first-1].hidden && (s.ref[first-1].answer || s.ref[first-1].ours != 0) {
		first--
	}
	for first < s.branch.Len() && !s.ref[first].answer {
		first++ // results of an earlier batch
	}
	seen := message{role: "assistant"}
	for _, u := range s.ref[first:] {
		if u.answer {
			seen.text += u.text
			seen.reasoning += u.reasoning
		}
	}
	for step := 0; ; step++ {
		if s.d.oneIn(10) { // the response breaks, and the client keeps what it had, or not
			if s.d.oneIn(2) {
				s.list = append(s.list[:len(s.list):len(s.list)], s.say("assistant", "partial"))
			}
			return nil
		}
		m := s.sample()
		seen.text += m.text
		seen.reasoning += m.reasoning
		last := s.step(m, &seen, step == 2)
		if last {
			break
		}
		if s.d.oneIn(3) {
			s.message()
		}
		s.append(s.insert(s.branch, nil, false))
		if err := s.send(Alignment{Keep: s.opt.Sent, Echoed: s.opt.Echoed}); err != nil {
			return err
		}
	}
	s.finish(first, seen)
	return nil
}

// sample draws an answer.
func (s *simulation) sample() message {
	m := message{tag: s.fresh(), role: "assistant"}
	if s.d(4) > 0 {
		m.text = "a" + strconv.Itoa(m.tag) + []string{"", " \n"}[s.d(2)]
	}
	if s.d.oneIn(2) {
		m.reasoning = "think" + strconv.Itoa(m.tag) + ". "
	}
	if s.d.oneIn(2) {
		for i := range 1 + s.d(3) {
			n := s.fresh()
			id := []string{"call" + strconv.Itoa(n), "f:" + strconv.Itoa(i)}[m.tag%2]
			if s.oneID {
				id = "f"
			}
			m.calls = append(m.calls, simCall{id, n, s.d.oneIn(2)})
		}
	}
	return m
}

// step puts one answer into the branch and reports whether it ends the response.
func (s *simulation) step(m message, seen *message, limit bool) (last bool) {
	item := style{empty: s.d(3)}.write(m)
	s.known[item] = unit{message: m, visible: m.tag}
	e := Entry{Item: []byte(item), Origin: OriginAnswer}
	var results []Entry
	for i, c := range m.calls {
		if !c.ours {
			seen.calls = append(seen.calls, c)
			continue
		}
		r := message{tag: c.n, role: "tool", toolID: c.id, text: "ok" + strconv.Itoa(c.n)}
		raw := style{}.write(r)
		s.known[raw] = unit{message: r, ours: c.n}
		results = append(results, Entry{Item: []byte(raw), Hidden: true, Origin: OriginResult})
		if len(m.calls) > 0 {
			e.Held = append(e.Held, Held{i, []byte(raw)})
		}
	}
	switch {
	case len(seen.calls) > 0: // mixed, or the client's only
		s.append([]Entry{e})
		return true
	case len(results) > 0:
		e.Hidden, e.Held = true, nil
		s.append(append([]Entry{e}, results...))
		return limit
	case len(s.pending) > 0 && !limit:
		e.Hidden = true
		s.append([]Entry{e})
		return false
	}
	s.append([]Entry{e})
	return true
}

// finish joins the steps from first on into the message that the client sees.
func (s *simulation) finish(first int, seen message) {
	n := s.branch.Len()
	e := *s.branch.At(n - 1)
	e.Hidden, e.Group = false, n-first
	form := style{}.write(seen)
	seen.tag = s.fresh()
	if known := s.known[string(e.Item)]; string(e.Item) == form {
		seen.tag = known.tag
	}
	if seen.isEmptyAnswer() {
		seen.tag = emptyTag
	}
	s.known[form] = unit{message: seen, visible: seen.tag, empty: seen.isEmptyAnswer()}
	if string(e.Item) != form {
		e.Seen = []byte(form)
	}
	s.branch = s.branch.Cut(n - 1)
	s.ref = s.ref[: n-1 : n-1]
	s.append([]Entry{e})
	s.ref[n-1].visible, s.ref[n-1].empty, s.ref[n-1].answer = seen.tag, seen.isEmptyAnswer(), true
	switch {
	case s.d.oneIn(8): // the client never gets it
	case seen.isEmptyAnswer() && s.d.oneIn(2): // or keeps no empty messages
	default:
		s.list = append(s.list[:len(s.list):len(s.list)], seen)
	}
}
