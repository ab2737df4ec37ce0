package sse

import (
	"bytes"
	"io"
	"strings"
)

// message is one dispatched event: what a client sees.
type message struct{ Name, Data, ID string }

// reference decodes a whole stream one byte at a time, as the WHATWG text
// tells it, with no thought of speed.
func reference(in []byte) []message {
	s := strings.TrimPrefix(string(in), "\ufeff")
	var out []message
	var name, id string
	var data []string
	line := ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\n' && i > 0 && s[i-1] == '\r' {
			continue
		}
		if c != '\n' && c != '\r' {
			line += string([]byte{c})
			continue
		}
		switch field, value, _ := strings.Cut(line, ":"); {
		case line == "":
			if data != nil {
				out = append(out, message{name, strings.Join(data, "\n"), id})
			}
			name, id, data = "", "", nil
		case field == "data":
			data = append(data, strings.TrimPrefix(value, " "))
		case field == "event":
			name = strings.TrimPrefix(value, " ")
		case field == "id" && !strings.Contains(value, "\x00"):
			id = strings.TrimPrefix(value, " ")
		}
		line = ""
	}
	return out
}

// drain reads a stream to its end and returns the raw bytes and messages.
func drain(r *Reader) (raw []byte, got []message, events []Event, err error) {
	for {
		e, err := r.Next()
		if err == io.EOF {
			return raw, got, events, nil
		}
		if err != nil {
			return raw, got, events, err
		}
		raw = append(raw, e.Raw...)
		if e.Data != nil {
			got = append(got, message{e.Name, string(e.Data), e.ID})
		}
		e.Raw, e.Data = bytes.Clone(e.Raw), bytes.Clone(e.Data)
		events = append(events, e)
	}
}

// pieces gives its bytes n at a time, the last ones together with io.EOF.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.b[:min(p.n, len(p.b))])
	p.b = p.b[n:]
	if len(p.b) == 0 {
		return n, io.EOF
	}
	return n, nil
}
