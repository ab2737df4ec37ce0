package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Save writes the session's exchanges back to the files that they came from, each line where
// it was. A file is replaced as a whole or not at all.
func (s *Session) Save() error {
	if s.Captured {
		return fmt.Errorf("%s: a capture of another program is not written to", s.Name)
	}
	byFile := map[string][]*Exchange{}
	for _, x := range s.Exchanges {
		file := x.Place[:strings.LastIndexByte(x.Place, ':')]
		byFile[file] = append(byFile[file], x)
	}
	for _, file := range s.Files {
		exchanges := byFile[file]
		slices.SortFunc(exchanges, func(a, b *Exchange) int { return cmp.Compare(line(a), line(b)) })
		if err := WriteFile(file, exchanges); err != nil {
			return err
		}
	}
	return nil
}

func line(x *Exchange) int {
	n, _ := strconv.Atoi(x.Place[strings.LastIndexByte(x.Place, ':')+1:]) // Read has written it
	return n
}

// WriteFile writes exchanges as a recording that only its owner can read. What the file
// held before stays until all is written.
func WriteFile(file string, exchanges []*Exchange) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".recording-") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriter(f)
	for _, x := range exchanges {
		if err := x.Write(w); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
