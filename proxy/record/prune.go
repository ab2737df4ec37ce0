package record

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// recorderFile is the name of a file that a recorder made; others are never removed.
var recorderFile = regexp.MustCompile(`^\d{4}-\d\d-\d\d-[0-9a-f]{8}(\.\d+)?\.jsonl$`)

// prune removes the oldest recordings until the rest take at most limit bytes.
func prune(dir string, limit int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	var total int64
	for _, e := range entries {
		if !recorderFile.MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if os.IsNotExist(err) {
			continue // another process was faster
		} else if err != nil {
			return err
		}
		files = append(files, info)
		total += info.Size()
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, f := range files {
		if total <= max(0, limit) {
			break
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !os.IsNotExist(err) {
			return err
		}
		total -= f.Size()
	}
	return nil
}
