package proxy_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestOthersKeepNobodyWaiting: forks are held back for siblings with the same bytes, but
// not for those of another tenant.
func TestOthersKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := newTimedHouse(t, profile(t, "llamacpp"))
		defer stop()
		for _, key := range []string{"mine", "theirs"} {
			h.as(key, "root").asks("hello")
		}
		held := h.as("theirs", "first", "root")
		ended := make(chan struct{})
		go func() { h.send(held.request("hold")); close(ended) }()
		<-h.held

		began := time.Now()
		h.as("mine", "first", "root").asks("hello")
		if waited := time.Since(began); waited != 0 {
			t.Errorf("a fork waited %v for another tenant's", waited)
		}
		h.as("theirs", "second", "root").asks("hello")
		if waited := time.Since(began); waited == 0 {
			t.Error("a fork did not wait for its own tenant's: this test shows nothing")
		}
		stop()
		<-ended
	})
}

// TestOthersWakeNobody: who waits for an agent hears nothing of another tenant's agent with
// the same id.
func TestOthersWakeNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := newTimedHouse(t)
		defer stop()
		mine, theirs := h.as("mine", "root"), h.as("theirs", "root")
		mine.asks("hello")
		woken := make(chan answer, 1)
		go func() {
			woken <- h.send(h.edge.request("GET", "/agents/root/wait?after=1000&timeout=4m", nil, mine.headers...))
		}()
		theirs.asks("hello")
		h.must(202, "POST", "/agents/root/interrupt", `{}`, theirs.headers...)
		h.must(204, "DELETE", "/agents/root", "", theirs.headers...)
		synctest.Wait()
		select {
		case a := <-woken:
			t.Errorf("the wait has ended: %v %+v", a.err, a.Response)
		default:
		}
		h.must(204, "DELETE", "/agents/root", "", mine.headers...)
		if a := <-woken; a.err != nil || a.StatusCode != 404 {
			t.Errorf("the wait for what its own tenant has deleted: %v %+v", a.err, a.Response)
		}
	})
}
