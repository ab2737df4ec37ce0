package proxy

import (
	"errors"

	"trunkline/prefix"
)

// reread does what reads a record and then the history that it names, once more where that
// is missing: another one has dropped it between the two readings, with an answer that it
// completed or with the whole agent, and the record tells which. What is missing then, too,
// is lost.
func reread(read func() error) error {
	err := read()
	if errors.Is(err, prefix.ErrMissing) {
		err = read()
	}
	return err
}
