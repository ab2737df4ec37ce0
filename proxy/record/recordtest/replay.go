// Package recordtest replays recordings as tests: whoever keeps recordings of its agents
// beside its code learns from `go test` when a request to the provider would change.
package recordtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy/record"
)

// Replay replays every *.jsonl file under a directory, such as testdata/recordings, as a
// subtest of its own. One fails where a request to the provider differs from the recorded
// one, and says where and how.
func Replay(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".jsonl") {
			return err
		}
		files++
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		t.Run(strings.TrimSuffix(filepath.ToSlash(name), ".jsonl"), func(t *testing.T) {
			sessions, err := record.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sessions {
				report, err := s.Replay(t.Context(), record.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range report.Differences {
					t.Errorf("%s", d)
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatalf("%s holds no *.jsonl file", dir)
	}
}
