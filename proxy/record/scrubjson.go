package record

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trunkline/prefix"
	"trunkline/tools"
)

// kept names members whose strings are no prose: what programs act on. Everything else is
// replaced, so that what is not known here is not shown.
var kept = names("role type id call_id tool_call_id item_id response_id previous_response_id agent_id subagent_id " +
	"name model object status finish_reason stop_reason effort reasoning_effort tool_choice service_tier " +
	"system_fingerprint scope format encoding_format detail required event code param phase truncation verbosity")

// word matches what a kept member may hold: a name, not a sentence or a program.
var word = regexp.MustCompile(`^[A-Za-z0-9._:/@|+~#=$%,*\[\]-]*$`)

// keptArguments names arguments of calls whose strings are no prose.
var keptArguments = names("agent_id subagent_id scope context")

// pieces names members that a stream sends piece by piece.
var pieces = names("content reasoning_content reasoning refusal arguments delta text thinking partial_json")

// jsonTexts names members whose text is JSON.
var jsonTexts = names("arguments partial_json")

func names(list string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

// scrubber replaces the prose of a session.
type scrubber struct {
	secret   filler
	standard [][]byte          // definitions of tools that are not prose
	open     map[string]*prose // place in a stream → the text that goes on there; nil outside of one
	bodies   []filled
}

func newScrubber(secret [32]byte) *scrubber {
	return &scrubber{secret: filler{secret}, standard: tools.Standard(tools.Names())}
}

// json replaces the prose of a JSON text in place; ok is false when it is none.
func (s *scrubber) json(raw []byte) (ok bool) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return false
	}
	if _, err := prefix.Members(trimmed); trimmed[0] == '{' && err != nil {
		return false
	}
	if _, err := prefix.Elements(trimmed); trimmed[0] == '[' && err != nil {
		return false
	}
	s.value(trimmed, "", "", false)
	return true
}

// value replaces the prose of one value. name is that of the member that it belongs to, and
// at its place, by which pieces of one text find each other.
func (s *scrubber) value(raw []byte, name, at string, isJSON bool) {
	switch raw[0] {
	case '"':
		s.text(raw[1:len(raw)-1], name, at, isJSON)
	case '[':
		elements, _ := prefix.Elements(raw) // it was scanned as a part of the whole
		for i, element := range elements {
			if name == "tools" && slices.ContainsFunc(s.standard, func(d []byte) bool { return bytes.Equal(d, element) }) {
				continue
			}
			s.value(element, name, at+"["+strconv.Itoa(i)+"]", false)
		}
	case '{':
		members, _ := prefix.Members(raw)
		var argues bool
		var place strings.Builder
		for _, m := range members {
			switch v := m.Value.Of(raw); m.Name {
			case "index", "output_index", "content_index", "summary_index", "item_id":
				place.WriteString(m.Name + "=" + string(v))
			case "type":
				argues = bytes.Contains(v, []byte("arguments"))
				if at == "" {
					place.WriteString(string(v))
				}
			}
		}
		if place.String() != "" { // what has an index has its place by it, not by where it stands
			at = at[:strings.LastIndexByte(at, '[')+1] + place.String()
		}
		for _, m := range members {
			s.value(m.Value.Of(raw), m.Name, at+"."+m.Name, jsonTexts[m.Name] || m.Name == "delta" && argues)
		}
	}
}

func (s *scrubber) text(inside []byte, name, at string, isJSON bool) {
	if kept[name] && word.Match(inside) {
		return
	}
	p := &prose{secret: s.secret, nested: isJSON}
	if s.open != nil && pieces[name] && !strings.Contains(at, ".response.") && !strings.Contains(at, ".item.") {
		if s.open[at] == nil {
			s.open[at] = p
		}
		p = s.open[at]
	}
	p.string(inside)
}

// stream replaces the prose of an event stream in place, over its events, and returns how far
// that went: what a cut left of the last line is not scrubbed.
func (s *scrubber) stream(body []byte) (done int) {
	s.open = map[string]*prose{}
	defer func() { s.open = nil }()
	for line := range bytes.Lines(body) {
		text := bytes.TrimRight(line, "\r\n")
		data, ok := bytes.CutPrefix(text, []byte("data:"))
		data = bytes.TrimLeft(data, " ")
		switch whole := len(text) < len(line); {
		case ok && (string(data) == "[DONE]" || s.json(data)):
		case !whole:
			return done
		case ok:
			s.plain(data)
		case len(text) == 0, string(line) == heartbeat, bytes.HasPrefix(text, []byte("event:")), bytes.HasPrefix(text, []byte("retry:")):
		default: // a comment, or no event at all: an error may come under this type, too
			if !s.json(text) {
				s.plain(text)
			}
		}
		done += len(line)
	}
	return done
}

// plain replaces what is no JSON.
func (s *scrubber) plain(b []byte) {
	f := s.secret
	f.bytes(b)
}

// body returns a body with its prose replaced, but for what [scrubber.rest] replaces in place.
func (s *scrubber) body(was []byte, stream bool) []byte {
	f := filled{was: was, is: bytes.Clone(was)}
	if stream {
		f.done = s.stream(f.is)
	} else if s.json(f.is) {
		f.done = len(f.is)
	}
	s.bodies = append(s.bodies, f)
	return f.is
}
