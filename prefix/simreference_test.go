package prefix

import (
	"fmt"
	"slices"
)

// unit is an entry as the reference knows it: by what the simulation meant, not
// by what it wrote.
type unit struct {
	message
	hidden    bool
	answer    bool
	empty     bool // an answer that looks empty to the client
	visible   int  // tag of the visible message; means something when not hidden
	first     int  // index of the first unit of the visible message
	ours      int  // of our result: the number of the call
	insertion string
}

// reference keeps everything and compares everything, by tag.
type reference []unit

// verdict is what the reference says about a client's list.
type verdict struct {
	keep    int  // how many units stand
	matched int  // how many messages they stand for
	echoed  int  // how many units stand up to the last answer that came back
	free    bool // the list is defective in a way that leaves a choice about keep
}

func (r reference) judge(from int, list []message) (v verdict) {
	at, last, j := from, from, 0
	defer func() { v.matched = j }()
	next := func() int {
		for k := at; k < len(r); k++ {
			if !r[k].hidden {
				return k
			}
		}
		return len(r)
	}
	for j < len(list) && next() < len(r) {
		k := next()
		if r[k].visible == list[j].tag {
			at, last, j = k+1, k+1, j+1
			if r[k].answer {
				v.echoed = k + 1
			}
			continue
		}
		if n := r.permuted(k, list[j:]); n > 0 {
			for range n {
				at = next() + 1
			}
			last, j = at, j+n
			continue
		}
		if !r[k].empty {
			break
		}
		at = k + 1
	}
	k := next()
	switch {
	case j == len(list):
		visible := 0
		for _, u := range r[at:] {
			if !u.hidden {
				visible++
			}
		}
		if visible > 1 || visible == 1 && !r[k].answer {
			v.keep = r[k].first
			return v
		}
		for v.keep = last; v.keep < len(r) && r[v.keep].role != "assistant"; {
			v.keep++
		}
		return v
	case k < len(r):
		v.keep = r[k].first
	default:
		v.keep = len(r)
	}
	if list[j].role == "tool" {
		end := last
		for end < v.keep && r[end].ours != 0 {
			end++
		}
		if end < v.keep {
			v.keep, v.free = end, !validList(list)
		}
	}
	return v
}

// permuted returns the largest number of messages that are the next results in
// another order.
func (r reference) permuted(k int, list []message) int {
	var sent, seen []int
	for ; k < len(r) && (r[k].hidden || r[k].role == "tool" && !r[k].answer); k++ {
		if !r[k].hidden {
			sent = append(sent, r[k].visible)
		}
	}
	for _, m := range list {
		if m.role != "tool" {
			break
		}
		seen = append(seen, m.tag)
	}
	for n := min(len(sent), len(seen)); n > 1; n-- {
		a, b := slices.Sorted(slices.Values(sent[:n])), slices.Sorted(slices.Values(seen[:n]))
		if slices.Equal(a, b) {
			return n
		}
	}
	return 0
}

// check reports what no upstream history may be.
func (r reference) check(clientValid bool) error {
	insertions := make(map[string]int)
	ours := make(map[int]int)
	waiting := 0 // calls without a result directly behind them
	for _, u := range r {
		if u.role == "tool" {
			waiting--
		} else {
			if u.insertion != "" && waiting > 0 {
				return fmt.Errorf("insertion %s behind calls without results", u.insertion)
			}
			waiting = len(u.calls)
		}
		if u.insertion != "" {
			if insertions[u.insertion]++; insertions[u.insertion] > 1 {
				return fmt.Errorf("insertion %s twice", u.insertion)
			}
		}
		for _, c := range u.calls {
			if c.ours {
				ours[c.n]++
			}
		}
		if u.ours != 0 {
			ours[u.ours] -= 1
		}
	}
	for n, left := range ours {
		if left != 0 {
			return fmt.Errorf("our call %d: %d results missing", n, left)
		}
	}
	if clientValid && !r.valid() {
		return fmt.Errorf("calls and results do not match")
	}
	return nil
}

// valid is validList of what goes upstream.
func (r reference) valid() bool {
	messages := make([]message, len(r))
	for i, u := range r {
		messages[i] = u.message
	}
	return validList(messages)
}
