package record

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"trunkline/prefix"
	"trunkline/tools"
)

// prose replaces the inside of JSON strings. It is one text that may come in pieces, as the
// deltas of a stream.
type prose struct {
	secret filler // at the start of a text
	filler
	begun bool
	list  bool // it is what list_agents answered

	// JSON inside of the text, as call arguments are: only its string values are prose.
	nested  bool
	in      bool // inside a string
	isKey   bool // that string is a member's name
	depth   []byte
	expects bool   // a member's name comes next
	escape  int    // characters of an escape that are still to come
	key     []byte // the name of the member
	keeps   bool   // the value is one that is kept
}

// made matches what the proxy itself puts before a text, or says as a whole, as it stands in a
// JSON string. It is kept, and the text behind it is one of its own: it stands elsewhere, too.
// A text that only begins like one of these is prose.
var made = regexp.MustCompile(`^(Agent ` + agentID + ` sent a message:\\n` +
	`|Agent ` + agentID + ` settled: [a-z-]{1,16}\.\\n(\(no closing message\)$)?` +
	`|message delivered to agent ` + agentID + `; (` + string(tools.ReadsNextStep+`|`+tools.StartsTurn+`|`+tools.WaitsForClient) + `)$` +
	`|interrupt requested for agent ` + agentID + `$|\(no subagents\)$` +
	`|Error: ([^\\]|\\"){1,300}; (the message was not delivered|nothing was interrupted)\.$)`)

const agentID = `[A-Za-z0-9._:-]{1,128}`

// listed matches what stands before a label in a line of list_agents.
var listed = regexp.MustCompile(`^` + agentID + ` \[(running|idle|ready)\]( parent=\S+ depth=\d+)? — (\(no label\))?`)

// guidance matches the instruction that the proxy adds at the end of a child's task.
var guidance = regexp.MustCompile(`^` + strings.ReplaceAll(
	regexp.QuoteMeta(string(prefix.Quote(tools.Guidance("PARENT")))[1:len(prefix.Quote(tools.Guidance("PARENT")))-1]), `PARENT`, agentID) + `$`)

// startOfGuidance saves looking for it at every character.
var startOfGuidance = []byte(`\n\nYou work as a subagent of the agent `)

// string replaces a piece in place. It stands between quotes, and ends between characters.
func (p *prose) string(raw []byte) {
	i := 0
	if !p.begun {
		p.begun, p.filler, p.expects = true, p.secret, true
		if !p.nested {
			i = len(made.Find(raw))
			p.list = listed.Match(raw)
		}
	}
	for line := p.list; i < len(raw); {
		if line {
			p.filler = p.secret
			i += len(listed.Find(raw[i:]))
			line = false
			continue
		}
		if !p.nested && bytes.HasPrefix(raw[i:], startOfGuidance) && guidance.Match(raw[i:]) {
			return
		}
		r, n := decodeChar(raw[i:])
		if filled := p.fill(r); filled != r && (r != utf8.RuneError || n > 1) { // what is not UTF-8 stays
			encodeChar(raw[i:i+n], filled)
		}
		i += n
		line = p.list && r == '\n'
	}
}

// fill returns what stands for the next character.
func (p *prose) fill(r rune) rune {
	if !p.nested {
		return p.char(r)
	}
	switch {
	case !p.in:
		switch r {
		case '"':
			p.in, p.isKey = true, p.expects && len(p.depth) > 0 && p.depth[len(p.depth)-1] == '{'
			if p.isKey {
				p.key = p.key[:0]
			} else {
				p.filler, p.keeps = p.secret, keptArguments[string(p.key)]
			}
		case '{', '[':
			p.depth, p.expects = append(p.depth, byte(r)), true
		case '}', ']':
			p.depth = p.depth[:max(0, len(p.depth)-1)]
		case ',':
			p.expects = true
		case ':':
			p.expects = false
		}
		return r
	case p.escape > 0:
		// Of an escape the digits stay: a model writes characters as they are.
		if p.escape--; p.escape == 0 && r == 'u' {
			p.escape = -4
		}
		p.next(r)
		return r
	case p.escape < 0:
		p.escape++
		p.next(r)
		return r
	case r == '\\':
		p.escape = 1
		return r
	case r == '"':
		p.in = false
		return r
	case p.isKey:
		p.key = utf8.AppendRune(p.key, r)
		return r
	case p.keeps:
		return r
	}
	return p.char(r)
}

// decodeChar reads one character of a JSON string, in any of its forms.
func decodeChar(raw []byte) (r rune, n int) {
	if raw[0] != '\\' || len(raw) < 2 {
		return utf8.DecodeRune(raw)
	}
	if raw[1] != 'u' || len(raw) < 6 {
		switch raw[1] {
		case 'n':
			return '\n', 2
		case 'r':
			return '\r', 2
		case 't':
			return '\t', 2
		case 'b':
			return '\b', 2
		case 'f':
			return '\f', 2
		}
		return rune(raw[1]), 2
	}
	unit := func(at int) rune {
		v, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		if err != nil {
			return utf8.RuneError
		}
		return rune(v)
	}
	r = unit(0)
	if utf16.IsSurrogate(r) && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if pair := utf16.DecodeRune(r, unit(6)); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

// encodeChar writes another character of the same kind in the form that was read.
func encodeChar(raw []byte, r rune) {
	switch len(raw) {
	case 6, 12:
		if raw[0] != '\\' {
			break
		}
		low := r & 0xff
		if len(raw) == 12 {
			_, second := utf16.EncodeRune(r)
			low = second & 0xff
		}
		digits := "0123456789abcdef"
		if bytes.ContainsAny(raw[len(raw)-4:], "ABCDEF") {
			digits = "0123456789ABCDEF"
		}
		raw[len(raw)-2], raw[len(raw)-1] = digits[low>>4], digits[low&15]
		return
	}
	utf8.EncodeRune(raw, r)
}
