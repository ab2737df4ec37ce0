package prefix

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestHistories plays many short random histories against the reference. A
// failure prints the seed of its history.
func TestHistories(t *testing.T) {
	runs := historyRuns
	if testing.Short() {
		runs /= 20
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d histories from seed %d", runs, seed)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for !t.Failed() {
				n := next.Add(1)
				if n > int64(runs) {
					return
				}
				playHistory(t, seed, uint64(n))
			}
		})
	}
	wg.Wait()
}

func playHistory(t *testing.T, seed, n uint64) {
	play := func(log *strings.Builder) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		s := newSimulation(rand.New(rand.NewPCG(seed, n)).IntN)
		s.log = log
		return s.run()
	}
	if play(nil) != nil {
		var log strings.Builder
		t.Errorf("history %d of seed %d: %v\n%s", n, seed, play(&log), log.String())
	}
}

// TestHistoriesShrink plays fewer of them and makes a failure small.
func TestHistoriesShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulation(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "d") })
		s.log = new(strings.Builder)
		if err := s.run(); err != nil {
			t.Fatalf("%v\n%s", err, s.log.String())
		}
	})
}
