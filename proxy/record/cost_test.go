package record_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"trunkline/proxy/record"
)

// TestNoCopyOfLargeBodies: recording a large body allocates far less than the body.
func TestNoCopyOfLargeBodies(t *testing.T) {
	const size, n = 8 << 20, 4
	body := strings.Replace(hello, "hello", strings.Repeat("x", size), 1)
	allocated := func(url string, wait func()) uint64 {
		ask(t, url, body) // connections and pools
		wait()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			ask(t, url, body)
			wait()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / n
	}
	written := make(chan int64, 1)
	r := startRecorder(t, record.Config{Trace: record.Trace{Written: func(n int64) { written <- n }}})
	with := allocated(startProxy(t, answers("hi"), r), func() { <-written })
	without := allocated(startProxy(t, answers("hi"), nil), func() {})
	t.Logf("a request of %d bytes allocates %d bytes, and %d when recorded", size, without, with)
	if with > without+size/8 {
		t.Errorf("recording a request of %d bytes allocates %d bytes more", size, with-without)
	}
}

// BenchmarkRecording shows the cost of recording as a ratio: requests with and without it
// take turns.
func BenchmarkRecording(b *testing.B) {
	for _, size := range []int{2 << 10, 256 << 10} {
		b.Run(map[bool]string{true: "2KiB", false: "256KiB"}[size < 4<<10], func(b *testing.B) {
			body := strings.Replace(hello, "hello", strings.Repeat("x", size), 1)
			r := startRecorder(b, record.Config{})
			urls := [2]string{startProxy(b, answers("hi"), nil), startProxy(b, answers("hi"), r)}
			var took [2]time.Duration
			for b.Loop() {
				for i, url := range urls {
					began := time.Now()
					ask(b, url, body)
					took[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "recorded/plain")
			b.ReportMetric(float64(r.Dropped()), "dropped")
		})
	}
}
