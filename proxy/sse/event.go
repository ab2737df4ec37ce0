package sse

import "bytes"

// An Event is one event of a stream, or a piece of one that is too long to be
// decoded. Its bytes are valid until the next call of [Reader.Next].
type Event struct {
	// Raw holds the bytes as received: comments, line endings and byte order
	// mark included.
	Raw []byte

	// Data is the value of the data fields joined by LF, nil when there is
	// none. An event without data is not one for a client, only bytes to relay
	// (a comment, a retry time).
	Data []byte

	// Name is the value of the last event field, "" when there is none.
	Name string

	// ID is the value of this event's own last id field. It does not carry over
	// to later events.
	ID string

	// Incomplete says that the stream ended before the event did. Its fields
	// are not decoded, since a client does not dispatch it either.
	Incomplete bool

	// Uninspected says that Raw is a piece of an event longer than the ceiling;
	// its fields are not decoded.
	Uninspected bool

	// More says that the next piece belongs to the same event: the stream is
	// not at an event boundary after Raw.
	More bool
}

var bom = []byte("\xef\xbb\xbf")

// decode fills the fields of e from its raw lines. joined is scratch space for
// data of several lines; the grown space is returned.
func (e *Event) decode(raw, joined []byte) []byte {
	joined = joined[:0]
	lines := 0
	for len(raw) > 0 {
		line := raw
		if i := lineEnd(raw); i >= 0 {
			line, raw = raw[:i], raw[i+1:] // LF of a CRLF becomes an empty line, which says nothing
		} else {
			raw = nil
		}
		field, value, found := bytes.Cut(line, []byte{':'})
		if !found {
			value = []byte{} // a field without a colon has the empty value
		}
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			switch lines++; lines {
			case 1:
				e.Data = value[:len(value):len(value)]
			case 2:
				joined = append(append(append(joined, e.Data...), '\n'), value...)
			default:
				joined = append(append(joined, '\n'), value...)
			}
		case "event":
			e.Name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.ID = string(value)
			}
		}
	}
	if lines > 1 {
		e.Data = joined[:len(joined):len(joined)]
	}
	return joined
}

// lineEnd returns the index of the first CR or LF in b, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
