package record_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trunkline/proxy/record"
)

// TestASlowDiskDropsExchanges: requests are served while nothing can be written, what is
// held stays within the bound, and what is lost is counted.
func TestASlowDiskDropsExchanges(t *testing.T) {
	stuck, release := make(chan struct{}), make(chan struct{})
	var written, dropped atomic.Int64
	dir := filepath.Join(t.TempDir(), "recordings")
	r := startRecorder(t, record.Config{Dir: dir, Queue: 64 << 10, Trace: record.Trace{
		Written: func(int64) {
			if written.Add(1) == 1 {
				close(stuck)
				<-release // a disk that hangs
			}
		},
		Dropped: func(why record.Lost) {
			if why == record.LostQueueFull {
				dropped.Add(1)
			}
		},
	}})
	url := startProxy(t, answers("hi"), r)
	ask(t, url, hello)
	<-stuck
	body := strings.Replace(hello, "hello", strings.Repeat("x", 10<<10), 1)
	const n = 20
	for range n {
		ask(t, url, body)
	}
	if d := dropped.Load(); d < n-4 || d == n || d != r.Dropped() {
		t.Errorf("%d of %d dropped, and %d counted, want all beyond 64 KiB", d, n, r.Dropped())
	}
	close(release)
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := written.Load() + dropped.Load(); got != n+1 {
		t.Errorf("%d written or dropped of %d", got, n+1)
	}
	ask(t, url, hello) // after the end
	if r.Dropped() != dropped.Load()+1 {
		t.Error("an exchange after the end is not counted")
	}
}

// TestCloseDoesNotHang: a disk that hangs costs the recording, not the shutdown.
func TestCloseDoesNotHang(t *testing.T) {
	stuck, release := make(chan struct{}), make(chan struct{})
	r := startRecorder(t, record.Config{Trace: record.Trace{Written: func(int64) { close(stuck); <-release }}})
	ask(t, startProxy(t, answers("hi"), r), hello)
	<-stuck
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r.Close(ctx) == nil {
		t.Error("nothing is said of what was not written")
	}
	close(release)
}

// TestADiskThatRefuses: exchanges are lost and counted, requests are served, and when the
// disk is back recording goes on.
func TestADiskThatRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	lost, kept := make(chan record.Lost, 1), make(chan int64, 1)
	r := startRecorder(t, record.Config{Dir: dir, Trace: record.Trace{
		Dropped: func(why record.Lost) { lost <- why },
		Written: func(n int64) { kept <- n },
	}})
	url := startProxy(t, answers("hi"), r)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ask(t, url, hello)
	if why := <-lost; why != record.LostDisk {
		t.Errorf("lost for %s", why)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ask(t, url, hello)
	if n := <-kept; n == 0 {
		t.Error("an empty line")
	}
}

// TestFilesAreBounded: a full file is followed by another, and the oldest go.
func TestFilesAreBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	old, foreign := filepath.Join(dir, "2001-02-03-0123abcd.jsonl"), filepath.Join(dir, "kept.jsonl")
	for _, file := range []string{old, foreign} {
		if err := os.WriteFile(file, make([]byte, 8<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	r := startRecorder(t, record.Config{Dir: dir, FileBytes: 8 << 10, TotalBytes: 40 << 10})
	url := startProxy(t, answers("hi"), r)
	body := strings.Replace(hello, "hello", strings.Repeat("x", 2<<10), 1)
	for range 30 {
		ask(t, url, body)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, file := range files(t, dir) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if file != foreign {
			total += info.Size()
		}
	}
	if n := len(files(t, dir)); total > 48<<10 || n < 3 {
		t.Errorf("%d files take %d bytes", n, total)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("the oldest recording is still there")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that no recorder made is gone")
	}
	sessions, err := record.Load(dir + "/" + filepath.Base(files(t, dir)[0]))
	if err != nil || len(sessions) != 1 {
		t.Errorf("%d sessions, %v", len(sessions), err)
	}
}

// TestWhatACrashLeft: half a line at the end of a file is not read, and is no error.
func TestWhatACrashLeft(t *testing.T) {
	whole, err := os.ReadFile("testdata/recordings/settle.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(file, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	got, _, err := record.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(string(whole), "\n") - 1; len(got) != want {
		t.Errorf("%d exchanges, want %d", len(got), want)
	}
}
