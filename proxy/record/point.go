package record

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"trunkline/prefix"
)

// A Point is where two bodies part.
type Point struct {
	Offset  int    `json:"offset"`         // bytes in common
	Segment string `json:"segment"`        // of the prompt: model, params, system, tools or history; "" outside of it
	Name    string `json:"name,omitempty"` // of the tool or field
	Path    string `json:"path"`           // as in messages[3].content
	Was     string `json:"was"`            // what follows in each, from a little before
	Now     string `json:"now"`
}

// PointOf returns where now leaves was; ok is false when they are equal.
func PointOf(was, now []byte, kind prefix.Kind) (p Point, ok bool) {
	if bytes.Equal(was, now) {
		return Point{}, false
	}
	at := 0
	for at < len(was) && at < len(now) && was[at] == now[at] {
		at++
	}
	p = Point{Offset: at, Was: excerpt(was, at), Now: excerpt(now, at)}
	// The path is one of what came; where that ends there, what was says more.
	from := now
	p.Path = pathAt(now, at)
	if path := pathAt(was, at); len(path) > len(p.Path) {
		p.Path, from = path, was
	}
	p.Segment, p.Name = segmentOf(from, p.Path, kind)
	return p, true
}

const (
	excerptBefore = 12 // bytes
	excerptAfter  = 20
)

// excerpt is what stands around an offset.
func excerpt(b []byte, at int) string {
	from, to := max(0, at-excerptBefore), min(len(b), at+excerptAfter)
	for from > 0 && !utf8.RuneStart(b[from]) {
		from--
	}
	for to < len(b) && !utf8.RuneStart(b[to]) {
		to++
	}
	if at >= len(b) {
		return string(b[from:]) + "⟨end⟩"
	}
	return string(b[from:to])
}

// pathAt returns the path of the innermost value of a JSON text that holds the offset; one
// behind the last element of a list is the element that could follow.
func pathAt(b []byte, at int) string {
	var path []byte
	for base := 0; ; {
		value := bytes.TrimLeft(b[base:], " \t\r\n")
		base = len(b) - len(value)
		name, start, end, ok := childAt(value, at-base)
		if !ok {
			return string(path)
		}
		if strings.HasPrefix(name, "[") || len(path) == 0 {
			path = append(path, name...)
		} else {
			path = append(append(path, '.'), name...)
		}
		if start < 0 || at < base+start {
			return string(path)
		}
		b, base = b[:base+end], base+start
	}
}

// childAt returns the member or element of a value at or behind an offset in it, and its
// span; start is -1 for the one that could follow.
func childAt(value []byte, at int) (name string, start, end int, ok bool) {
	if len(value) == 0 {
		return "", 0, 0, false
	}
	switch value[0] {
	case '{':
		members, err := prefix.Members(value)
		if err != nil {
			return "", 0, 0, false
		}
		for _, m := range members {
			if at < m.Value.End {
				return m.Name, m.Value.Start, m.Value.End, true
			}
		}
	case '[':
		elements, err := prefix.Elements(value)
		if err != nil {
			return "", 0, 0, false
		}
		end := 1
		for i, element := range elements {
			start := end + len(value[end:]) - len(bytes.TrimLeft(value[end:], ", \t\r\n"))
			end = start + len(element)
			if at < end {
				return "[" + strconv.Itoa(i) + "]", start, end, true
			}
		}
		if at < len(value) {
			return fmt.Sprintf("[%d]", len(elements)), -1, -1, true
		}
	}
	return "", 0, 0, false
}

// segmentOf says what a path of a body is to its prompt.
func segmentOf(raw []byte, path string, kind prefix.Kind) (segment, name string) {
	body, err := prefix.Observe(raw, kind)
	if err != nil {
		return "", ""
	}
	member, index := path, -1
	if i := bytes.IndexAny([]byte(path), ".["); i >= 0 {
		member = path[:i]
		if n, err := strconv.Atoi(path[i+1 : i+1+max(0, bytes.IndexByte([]byte(path[i+1:]), ']'))]); err == nil && path[i] == '[' {
			index = n
		}
	}
	head := prefix.HeadOf(body)
	switch member {
	case "messages", "input":
		if index >= 0 && index < body.LeadingSystem() {
			return prefix.SegmentSystem, ""
		}
		return prefix.SegmentHistory, ""
	case "instructions", "system":
		return prefix.SegmentSystem, ""
	case "tools":
		if index >= 0 && index < len(body.Tools) {
			name = body.Tools[index].Name
		}
		return prefix.SegmentTools, name
	case "model":
		return prefix.SegmentModel, member
	}
	for _, f := range head.Fields {
		if f.Name == member {
			return prefix.SegmentParams, member
		}
	}
	return "", member
}
