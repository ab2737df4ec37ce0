package harness

import (
	"strings"
	"sync"
)

// log collects what a process writes to both of its streams.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements [io.Writer].
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
