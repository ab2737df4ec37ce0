package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"trunkline/proxy/record"
)

// TestARemovedFileIsFollowedByAnother: a user who begins anew by removing the files loses
// nothing of what comes then.
func TestARemovedFileIsFollowedByAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	kept := make(chan int64, 1)
	url := startProxy(t, answers("hi"), startRecorder(t, record.Config{Dir: dir, Trace: record.Trace{
		Written: func(n int64) { kept <- n },
		Dropped: func(why record.Lost) { t.Errorf("lost: %s", why); kept <- 0 },
	}}))
	ask(t, url, hello)
	<-kept
	for _, file := range files(t, dir) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, url, hello)
	<-kept
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("%d files", len(left))
	}
}

// TestARemovedDirectoryIsCounted also where a file in it is still open.
func TestARemovedDirectoryIsCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	kept, lost := make(chan int64, 2), make(chan record.Lost, 2)
	url := startProxy(t, answers("hi"), startRecorder(t, record.Config{Dir: dir, Trace: record.Trace{
		Written: func(n int64) { kept <- n },
		Dropped: func(why record.Lost) { lost <- why },
	}}))
	ask(t, url, hello)
	<-kept
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ask(t, url, hello)
	select {
	case n := <-kept:
		t.Errorf("%d bytes are said to be written", n)
	case why := <-lost:
		if why != record.LostDisk {
			t.Errorf("lost for %s", why)
		}
	}
}
