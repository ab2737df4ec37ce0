package record

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestVersionsDecideTheOrder: the times at which reads and writes of one record were seen to be
// done may be in another order than its versions; all else is in the order of time.
func TestVersionsDecideTheOrder(t *testing.T) {
	touches := func(id string, list ...Touch) *Exchange {
		return &Exchange{ID: id, Start: time.Unix(0, 0), Records: list, Response: Response{EndAt: 100}}
	}
	s := &Session{Exchanges: []*Exchange{
		// The write of 2 is seen late, after another has read it and a third has gone on from it.
		touches("a", Touch{At: 1, Write: true, Agent: "x", Version: 1}, Touch{At: 50, Write: true, Agent: "x", Version: 2}),
		touches("b", Touch{At: 20, Agent: "x", Version: 2}, Touch{At: 21, Write: true, Agent: "y", Version: 1}),
		touches("c", Touch{At: 10, Write: true, Agent: "x", Version: 3}, Touch{At: 11, Write: true, Agent: "z", Version: 1}),
		touches("d", Touch{At: 30, Agent: "x", Version: 1}, Touch{At: 31, Agent: "none"}, Touch{At: 32, Write: true, Agent: "w", Version: 7}),
	}}
	var got []string
	for _, e := range s.schedule() {
		if e.kind == touch {
			got = append(got, fmt.Sprintf("%s:%s%d", s.Exchanges[e.x].ID, e.touch.Agent, e.touch.Version))
		}
	}
	want := []string{"a:x1", "d:x1", "d:none0", "d:w7", "a:x2", "b:x2", "c:x3", "c:z1", "b:y1"}
	if !slices.Equal(got, want) {
		t.Errorf("the order is\n%v, want\n%v", got, want)
	}
}
