package tools

import (
	"bytes"
	"encoding/json"
)

// A Call is one tool call of an answer.
type Call struct {
	Ordinal   int // its place among the answer's calls, from 0
	ID        string
	Name      string
	Arguments string // the exact concatenation of what the provider sent

	// Complete says that Arguments parse as one JSON object. A call that is not
	// complete must not be executed.
	Complete bool
}

// A call accumulates one tool call. Identity is set once, from the first value
// that is not empty: providers repeat it, or send "" after it (case 20).
type call struct {
	ordinal  int
	id       field
	kind     field
	name     []byte // escaped body
	args     []byte // escaped body of the concatenation
	function object // what else the function says
	extra    object // what else the call says, such as a signature
}

// whole reports whether the arguments parse as one JSON object.
func (c *call) whole() bool {
	args := []byte(unescape(c.args))
	return json.Valid(args) && kind(args, whole(args)) == '{'
}

func (c *call) export() Call {
	return Call{
		Ordinal:   c.ordinal,
		ID:        unescape(c.id.raw),
		Name:      unescape(c.name),
		Arguments: unescape(c.args),
		Complete:  c.whole(),
	}
}

func (c *call) appendTo(dst []byte) []byte {
	dst = append(dst, '{')
	if c.id.kind == '"' {
		dst = append(c.id.appendTo(append(dst, `"id":`...)), ',')
	}
	dst = append(dst, `"type":`...)
	if c.kind.kind == '"' && len(c.kind.raw) > 0 {
		dst = c.kind.appendTo(dst)
	} else {
		dst = append(dst, `"function"`...)
	}
	if kind := string(c.kind.raw); kind == "" || kind == "function" || len(c.name)+len(c.args) > 0 {
		dst = append(append(dst, `,"function":{"name":"`...), c.name...)
		dst = append(append(dst, `","arguments":"`...), c.args...)
		dst = appendMembers(append(dst, '"'), &c.function)
		dst = append(dst, '}')
	}
	dst = appendMembers(dst, &c.extra)
	return append(dst, '}')
}

// appendMembers appends o's members after others, with a leading comma.
func appendMembers(dst []byte, o *object) []byte {
	n := len(dst)
	dst = append(dst, ',')
	if dst = o.appendTo(dst); len(dst) == n+1 {
		return dst[:n]
	}
	return dst
}

// A batch assembles the calls of one message from the entries of its
// tool_calls arrays.
type batch struct {
	calls   []*call
	byIndex map[string]*call // index as written → the latest call with it
}

// add joins one entry of a tool_calls array and returns the call that it
// belongs to: to none before it where each is a call of its own.
func (a *batch) add(b []byte, entry span, each bool) *call {
	var index, id, typ, function, called, args span
	for key, value := range members(b, entry) {
		switch string(name(b, key)) {
		case "index":
			index = value
		case "id":
			id = value
		case "type":
			typ = value
		case "function":
			function = value
		}
	}
	for key, value := range members(b, function) {
		switch string(name(b, key)) {
		case "name":
			called = value
		case "arguments":
			args = value
		}
	}
	piece, ok := body(b, args)
	if !ok && given(b, args) {
		piece = escape(string(args.of(b))) // an object where a string belongs: its own text
	}
	escapedName, _ := body(b, called)

	var c *call
	if each {
		c = a.begin("")
	} else {
		c = a.find(b, index, id, escapedName, piece)
	}
	if !empty(b, id) && len(c.id.raw) == 0 || c.id.kind == 0 && kind(b, id) == '"' {
		c.id.merge(b, id, "id")
	}
	if !empty(b, typ) && c.kind.kind == 0 {
		c.kind.merge(b, typ, "type")
	}
	if len(c.name) == 0 {
		c.name = append(c.name, escapedName...)
	}
	c.args = append(c.args, piece...)
	for key, value := range members(b, function) {
		switch string(name(b, key)) {
		case "name", "arguments":
		default:
			c.function.put(b, key, value)
		}
	}
	for key, value := range members(b, entry) {
		switch string(name(b, key)) {
		case "index", "id", "type", "function":
		default:
			c.extra.put(b, key, value)
		}
	}
	return c
}

// find returns the call that an entry belongs to, a new one if it begins one.
//
// The index decides where it is new. It may be absent or the same for every
// call; then a call begins where another id or, without an index, another name
// begins, or where named arguments open a new object after a finished one.
func (a *batch) find(b []byte, index, id span, name, piece []byte) *call {
	var key string
	if given(b, index) {
		key = string(index.of(b))
	}
	c := a.byIndex[key]
	if key == "" && len(a.calls) > 0 {
		c = a.calls[len(a.calls)-1]
	}
	if c != nil {
		idBody, _ := body(b, id)
		named := len(name) > 0 || len(idBody) > 0
		begins := len(idBody) > 0 && len(c.id.raw) > 0 && !bytes.Equal(idBody, c.id.raw) ||
			key == "" && len(name) > 0 && len(c.name) > 0 && !bytes.Equal(name, c.name) ||
			named && bytes.HasPrefix(piece, []byte{'{'}) && bytes.HasSuffix(bytes.TrimRight(c.args, " "), []byte{'}'}) && c.whole()
		if !begins {
			return c
		}
	}
	return a.begin(key)
}

// begin adds a call, the latest with this index.
func (a *batch) begin(key string) *call {
	c := &call{ordinal: len(a.calls)}
	a.calls = append(a.calls, c)
	if a.byIndex == nil {
		a.byIndex = make(map[string]*call)
	}
	a.byIndex[key] = c
	return c
}
