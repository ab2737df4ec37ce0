package boltstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
)

// asChild names the store that this test binary, started again, writes to until it is
// killed.
const asChild = "BOLTSTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(asChild); path != "" {
		fmt.Fprintln(os.Stderr, child(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child commits for ever, and prints the number of each commit after it was acknowledged.
func child(path string) error {
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		return err
	}
	change := agents.Change{}
	for n := 1; ; n++ {
		change.Data = fmt.Appendf(nil, "%d %s", n, strings.Repeat("x", 3000))
		change.Put = []agents.Blob{{ID: fmt.Sprint(n), Data: []byte("blob")}}
		if change.Version, err = s.Commit(context.Background(), agents.Key{ID: "child"}, change); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// start runs a child and returns the numbers that it prints.
func start(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be dead already
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // "signal: killed" is as wanted
	})
	return cmd, bufio.NewScanner(out)
}

func TestOpenLockedByAnotherProcess(t *testing.T) {
	file := path(t)
	_, numbers := start(t, file)
	if !numbers.Scan() {
		t.Fatal("the child did not start")
	}
	_, err := boltstore.Open(file, boltstore.Options{LockWait: 10 * time.Millisecond})
	if !errors.Is(err, agents.ErrUnavailable) {
		t.Fatalf("Open = %v, want ErrUnavailable", err)
	}
	if want := file + " is open in another process"; !strings.Contains(err.Error(), want) {
		t.Fatalf("Open = %v, want it to say %q", err, want)
	}
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	file := path(t)
	for kill := range 5 {
		cmd, numbers := start(t, file)
		for range 10 + 7*kill {
			if !numbers.Scan() {
				t.Fatal("the child ended")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		acknowledged := numbers.Text()
		for numbers.Scan() {
			acknowledged = numbers.Text()
		}

		s := open(t, file)
		key := agents.Key{ID: "child"}
		stored, err := s.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		var told, last int
		if _, err := fmt.Sscan(acknowledged, &told); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(string(stored.Data), &last); err != nil {
			t.Fatal(err)
		}
		// The last commit may have been made and not yet told.
		if last != told && last != told+1 {
			t.Fatalf("commit %d was acknowledged, %d is stored", told, last)
		}
		blobs, err := s.Blobs(t.Context(), []agents.BlobRef{{Owner: key, ID: fmt.Sprint(told)}})
		if err != nil || blobs[0] == nil {
			t.Fatalf("the blob of commit %d = %q, %v", told, blobs[0], err)
		}
		if err := s.Delete(t.Context(), key, stored.Version); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
