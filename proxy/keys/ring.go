package keys

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Ring holds the keys of a file as it last could be read.
type Ring struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	read    stamp
	entries []entry
}

// stamp is what tells that a file is another than the one that was read.
type stamp struct {
	info os.FileInfo // nil: the file could not be looked at
	at   time.Time
}

// tick is how coarse the times of a file system may be: a file that was written less than
// this before it was read may have been written since without a sign of it.
const tick = 2 * time.Second

// Open reads the file. log is told of later changes.
func Open(path string, log *slog.Logger) (*Ring, error) {
	r := &Ring{path: path, log: log}
	var err error
	r.entries, r.read, err = r.load()
	return r, err
}

// Lookup returns what a presented key stands for. It looks at the file first, so that a
// key that was taken out is refused from then on. What a request costs does not depend on
// the key.
func (r *Ring) Lookup(presented string) (Key, bool) {
	sum := sha256.Sum256([]byte(presented))
	entries := r.current()
	found := -1
	for i := range entries {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], entries[i].hash[:]), i, found)
	}
	if found < 0 {
		return Key{}, false
	}
	return entries[found].key, true
}

// current returns the keys of the file as it is now, or as it was when it was last in
// order. A file that cannot be used is told of once for each of its states.
func (r *Ring) current() []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.path)
	if err != nil {
		info = nil
	}
	if r.read.is(info) {
		return r.entries
	}
	was := r.read
	entries, read, err := r.load()
	r.read = read
	if err != nil {
		if !was.same(read.info) {
			r.log.Error("the keys cannot be read; those read before still hold", "err", err)
		}
		return r.entries
	}
	r.entries = entries
	if !was.same(read.info) {
		r.log.Info("the keys were read again", "file", r.path, "keys", len(entries))
	}
	return entries
}

// load reads the file, and notes its state from before it is read: what is written
// meanwhile is a change.
func (r *Ring) load() ([]entry, stamp, error) {
	read := stamp{at: time.Now()}
	info, err := os.Stat(r.path)
	if err != nil {
		return nil, read, fmt.Errorf("--auth: %w", err)
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return nil, read, fmt.Errorf("--auth: %w", err) // no sign would tell that it can be read now
	}
	read.info = info
	entries, err := parse(text)
	if err != nil {
		return nil, read, fmt.Errorf("--auth: %s: %w", r.path, err)
	}
	return entries, read, nil
}

// same reports whether the file looks as it did.
func (s stamp) same(info os.FileInfo) bool {
	if s.info == nil || info == nil {
		return s.info == nil && info == nil
	}
	return os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime())
}

// is reports whether the file is surely the one that was read.
func (s stamp) is(info os.FileInfo) bool {
	return s.same(info) && (info == nil || s.at.Sub(info.ModTime()) > tick)
}
