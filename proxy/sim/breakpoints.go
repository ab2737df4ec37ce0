package sim

import (
	"encoding/json"
	"errors"
	"slices"
)

// Breakpoints says where a prompt's cache entries end, and so where a later prompt that
// begins with the same tokens can take over. Markers are members of text parts; they are
// never rendered.
type Breakpoints string

const (
	// NoBreakpoints caches whole blocks of 16 tokens, wherever they end.
	NoBreakpoints Breakpoints = "none"
	// ExplicitBreakpoints are those of Anthropic's models: an entry ends behind a text with
	// cache_control, and is found from such a marker up to 20 content blocks further on.
	// Without a marker nothing is cached, and a fifth is refused.
	ExplicitBreakpoints Breakpoints = "explicit"
	// ImplicitBreakpoints are those of OpenAI's newer models: an entry ends at the last user
	// message or batch of results, and behind the last three texts with
	// prompt_cache_breakpoint, other than an assistant's. It is found at any of them, at 20
	// earlier ends of such messages, and at the end of the instructions.
	ImplicitBreakpoints Breakpoints = "implicit"
)

// lookback is how many blocks or endings before a breakpoint are looked up.
const lookback = 20

// A point is where the text of an item ends. A marker on any part of it stands there.
type point struct {
	name          digest // of all tokens up to here
	tokens        int
	blocks        int // texts and calls up to here
	cacheControl  bool
	cachePoint    bool // prompt_cache_breakpoint, where it counts
	ending        bool // of a message that gets a breakpoint by itself
	ofInstruction bool // ending, and the last of the instructions
}

var errMarkers = errors.New("a maximum of 4 blocks with cache_control may be provided")

var errEmptyMarked = errors.New("a cache marker cannot be set on an empty text")

// check refuses what a provider refuses.
func (b Breakpoints) check(items []Item) error {
	if b == NoBreakpoints {
		return nil
	}
	n := 0
	for _, it := range items {
		if it.markers.empty {
			return errEmptyMarked
		}
		n += it.markers.control
	}
	if b == ExplicitBreakpoints && n > 4 {
		return errMarkers
	}
	return nil
}

// entries are the points where the prompt's cache entries end, in order.
func (b Breakpoints) entries(points []point) []point {
	if b == ExplicitBreakpoints {
		return only(points, func(p point) bool { return p.cacheControl })
	}
	marked := only(points, func(p point) bool { return p.cachePoint })
	marked = marked[max(0, len(marked)-3):]
	endings := only(points, func(p point) bool { return p.ending })
	return append(marked, endings[max(0, len(endings)-1):]...)
}

// lookups are the points where entries of earlier prompts are looked for, in order.
func (b Breakpoints) lookups(points []point) []point {
	if b == ExplicitBreakpoints {
		marked := b.entries(points)
		return only(points, func(p point) bool {
			return slices.ContainsFunc(marked, func(m point) bool { return m.blocks >= p.blocks && m.blocks-p.blocks <= lookback })
		})
	}
	endings := only(points, func(p point) bool { return p.ending })
	first := 0
	if n := len(endings) - 1 - lookback; n > 0 {
		first = endings[n].tokens
	}
	return only(points, func(p point) bool {
		return p.cachePoint || p.ofInstruction || p.ending && p.tokens >= first
	})
}

func only(points []point, keep func(point) bool) []point {
	return slices.DeleteFunc(slices.Clone(points), func(p point) bool { return !keep(p) })
}

// read returns how many of the prompt's tokens the cache has, and touches them. The last
// token is always computed: its output is the first answer token.
func (b Breakpoints) read(c *cache, q *sequence) int {
	if b == NoBreakpoints {
		return blockTokens * c.match(q.blocks[:(q.tokens-1)/blockTokens])
	}
	for _, p := range slices.Backward(b.lookups(q.points)) {
		if c.match([]digest{p.name}) > 0 {
			return p.tokens
		}
	}
	return 0
}

// written returns how many of the prompt's tokens are in the cache once it is read.
func (b Breakpoints) written(q *sequence) int {
	if b == NoBreakpoints {
		return len(q.blocks) * blockTokens
	}
	end := 0
	for _, p := range b.entries(q.points) {
		end = max(end, p.tokens)
	}
	return end
}

// write makes the prompt's entries resident.
func (b Breakpoints) write(c *cache, q *sequence) {
	if b == NoBreakpoints {
		c.add(q.blocks)
		return
	}
	for _, p := range b.entries(q.points) {
		c.add([]digest{p.name})
	}
}

// markers are the cache markers on the text parts of a message.
type markers struct {
	control, point int // of each form
	empty          bool
}

func markersOf(content json.RawMessage) (m markers) {
	var parts []struct {
		Text    *string
		Control *struct{} `json:"cache_control"`
		Point   *struct{} `json:"prompt_cache_breakpoint"`
	}
	if len(content) == 0 || content[0] != '[' || json.Unmarshal(content, &parts) != nil {
		return m
	}
	for _, p := range parts {
		if p.Control != nil {
			m.control++
		}
		if p.Point != nil {
			m.point++
		}
		m.empty = m.empty || (p.Control != nil || p.Point != nil) && p.Text != nil && *p.Text == ""
	}
	return m
}
