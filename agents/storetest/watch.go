package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"trunkline/agents"
)

// Hints runs store.Watch until the test ends and returns its hints. It has waited for
// the first zero Key, so a change from now on is hinted at.
func Hints(t *testing.T, store agents.Store) <-chan agents.Key {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	hints := make(chan agents.Key, 1024)
	done := make(chan error, 1)
	go func() {
		done <- store.Watch(ctx, func(key agents.Key) {
			select {
			case hints <- key:
			default: // a full channel loses hints, as the contract allows
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v, want its context's error", err)
		}
	})
	AwaitHint(t, hints, agents.Key{})
	return hints
}

// AwaitHint takes hints until key is among them.
func AwaitHint(t *testing.T, hints <-chan agents.Key, key agents.Key) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case got := <-hints:
			if got == key {
				return
			}
		case <-late:
			t.Fatalf("no hint of %q came", key)
		}
	}
}

func testWatch(s store) {
	first, second := Hints(s.t, s), Hints(s.t, s)
	odd := agents.Key{Tenant: "a/b {c}", ID: "d:e.f"}
	version := s.commit(odd, agents.Change{})
	AwaitHint(s.t, first, odd)
	AwaitHint(s.t, second, odd)
	version = s.commit(odd, agents.Change{Version: version})
	AwaitHint(s.t, first, odd)
	s.delete(odd, version)
	AwaitHint(s.t, second, odd)
	AwaitHint(s.t, second, odd)
}

func testWatchEnds(s store) {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		ended <- s.Watch(ctx, func(agents.Key) {
			select {
			case <-returned:
				s.t.Error("a hint came after Watch returned")
			default:
			}
			cancel()
		})
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			s.t.Fatalf("Watch = %v, want its context's error", err)
		}
	case <-time.After(patience):
		s.t.Fatal("Watch outlives its context")
	}
	<-returned
	s.commit(one, agents.Change{})
}

func testCheck(s store) {
	if err := s.Check(s.t.Context()); err != nil {
		s.t.Fatalf("Check: %v", err)
	}
}
