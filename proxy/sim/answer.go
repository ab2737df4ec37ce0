package sim

import "time"

// Script decides what the model answers. It runs once for each request that
// parses, before its prefill, and may be called from many goroutines at once.
type Script func(Request) Answer

// Answer is one scripted answer. The zero value is an empty text.
type Answer struct {
	Text      string
	Reasoning string // chat only: reasoning_content
	Calls     []Call // an empty ID is filled in
	Finish    string // "" is tool_calls with calls, else stop

	// Fail answers with an error in place of everything else.
	Fail *Failure

	// Piece is the size in bytes of a streamed piece of text, reasoning or
	// arguments; 0 is 16. Pieces end at characters.
	Piece int
	// Delay is waited before each event but the first; 0 is Config.EventDelay.
	Delay time.Duration
	// Gates hold the answer: event → channel that must be ready (closed, or
	// sent to) before that event is written. Gate 0 holds the response headers
	// too, and a whole answer that is not streamed.
	Gates map[int]<-chan struct{}
	// Frames replace the events of a streamed answer by these bytes, one write
	// each, with their blank lines. Nothing is added (no finish, no [DONE]), and
	// the answer does not enter the cache.
	Frames []string
	// Break ends the answer early.
	Break *Break
}

// Break says how an answer ends early, and when.
type Break struct {
	// After is the number of events written before the end. 0 sends headers
	// alone, below 0 not even these (all but Silence are then a Reset); at or past the number
	// of events, [DONE] included, nothing is broken. An answer that is not
	// streamed ends after half of its body, unless After is below 0.
	After int
	How   How
	// Data is the data line of an ErrorEvent; "" is an error in the OpenAI shape.
	Data string
}

// How is the manner in which an answer ends early.
type How int

const (
	EOF        How = iota // the body ends cleanly (not streaming: short of its length)
	HalfEvent             // half of the next event, then a clean end
	Reset                 // the TCP connection is reset
	ErrorEvent            // an error inside the stream, then a clean end
	Silence               // nothing more until the client leaves
)

func (b *Break) data() string {
	if b.Data != "" {
		return b.Data
	}
	return errorBody("the simulated provider broke off", "server_error", "broken_off")
}

func (a Answer) finish() string {
	switch {
	case a.Finish != "":
		return a.Finish
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// pieces splits s as the answer is streamed.
func (a Answer) pieces(s string) []string {
	size := a.Piece
	if size <= 0 {
		size = 16
	}
	var out []string
	for s != "" {
		p := cut(s, size)
		if p == "" { // a character longer than a piece
			p = cut(s, 4)
		}
		out = append(out, p)
		s = s[len(p):]
	}
	return out
}
