package record

import (
	"cmp"
	"container/heap"
	"slices"
)

// causal puts events into an order in which they can have happened: those of one exchange in
// their own order, and reads and writes of one record in that of its versions; by time where
// that leaves a choice. events holds each exchange's in its own order, one behind another.
func (s *Session) causal(events []event) []event {
	q := queue{events: events, behind: make([][]int, len(events)), waits: make([]int, len(events))}
	type record struct {
		tenant int
		agent  string
	}
	touches := map[record][]int{} // whose record → its reads and writes
	for i, e := range events {
		if i > 0 && events[i-1].x == e.x {
			q.before(i-1, i)
		}
		if e.kind == touch && e.touch.Version > 0 {
			r := record{s.Exchanges[e.x].Client.Tenant, e.touch.Agent}
			touches[r] = append(touches[r], i)
		}
	}
	for _, list := range touches {
		slices.SortStableFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(events[a].touch.Version, events[b].touch.Version), -compare(events[a].touch.Write, events[b].touch.Write))
		})
		write, reads := -1, []int(nil)
		for _, i := range list {
			if write >= 0 {
				q.before(write, i)
			}
			if !events[i].touch.Write {
				reads = append(reads, i)
				continue
			}
			for _, r := range reads {
				q.before(r, i)
			}
			write, reads = i, nil
		}
	}
	return q.sort()
}

func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// queue holds the events whose turn can come next, the earliest first.
type queue struct {
	events []event
	behind [][]int // event → those that come after it
	waits  []int   // event → how many it comes after that have not come
	ready  []int
}

func (q *queue) before(a, b int) {
	q.behind[a] = append(q.behind[a], b)
	q.waits[b]++
}

func (q *queue) sort() []event {
	for i, n := range q.waits {
		if n == 0 {
			heap.Push(q, i)
		}
	}
	sorted := make([]event, 0, len(q.events))
	for q.Len() > 0 {
		i := heap.Pop(q).(int)
		sorted = append(sorted, q.events[i])
		for _, j := range q.behind[i] {
			if q.waits[j]--; q.waits[j] == 0 {
				heap.Push(q, j)
			}
		}
	}
	if len(sorted) < len(q.events) {
		// No proxy has written that: by time, then, as if nothing else were known.
		sorted = slices.Clone(q.events)
		slices.SortStableFunc(sorted, byTime)
	}
	return sorted
}

func (q *queue) Len() int      { return len(q.ready) }
func (q *queue) Swap(i, j int) { q.ready[i], q.ready[j] = q.ready[j], q.ready[i] }
func (q *queue) Push(i any)    { q.ready = append(q.ready, i.(int)) }

func (q *queue) Less(i, j int) bool {
	a, b := q.ready[i], q.ready[j]
	return cmp.Or(byTime(q.events[a], q.events[b]), cmp.Compare(a, b)) < 0
}

func (q *queue) Pop() any {
	last := len(q.ready) - 1
	i := q.ready[last]
	q.ready = q.ready[:last]
	return i
}
