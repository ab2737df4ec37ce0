package redistest

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"sync"
)

// logs follows the output of a process: Redis tells there what it has reached.
type logs struct {
	ended chan struct{} // closed at the end of the output

	mu      sync.Mutex
	lines   []string
	awaited map[string]chan struct{} // text → closed when a line holds it
}

func follow(out io.Reader) *logs {
	l := &logs{ended: make(chan struct{}), awaited: map[string]chan struct{}{}}
	go func() {
		defer close(l.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.add(lines.Text())
		}
	}()
	return l
}

func (l *logs) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	for text, found := range l.awaited {
		if strings.Contains(line, text) {
			close(found)
			delete(l.awaited, text)
		}
	}
}

// await returns a channel that is closed when some line, also an earlier one, holds text.
func (l *logs) await(text string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, text) }) {
		found := make(chan struct{})
		close(found)
		return found
	}
	if l.awaited[text] == nil {
		l.awaited[text] = make(chan struct{})
	}
	return l.awaited[text]
}

// String returns the last lines.
func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[max(0, len(l.lines)-30):], "\n")
}
