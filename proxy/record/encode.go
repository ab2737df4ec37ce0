package record

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// Write writes an exchange as one line.
func (x *Exchange) Write(w io.Writer) error {
	e := encoder{w: bufio.NewWriterSize(w, 32<<10)}
	e.exchange(x)
	return e.w.Flush()
}

// encoder writes exchanges without building them in memory. Errors stay with w.
type encoder struct {
	w      *bufio.Writer
	number [20]byte
}

func (e *encoder) raw(s string) { e.w.WriteString(s) }

// value writes something small.
func (e *encoder) value(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("record: " + err.Error()) // strings and numbers always marshal
	}
	e.w.Write(b)
}

func (e *encoder) int(n int64) { e.w.Write(strconv.AppendInt(e.number[:0], n, 10)) }

func (e *encoder) member(name string, v any) {
	e.raw(`"` + name + `":`)
	e.value(v)
	e.w.WriteByte(',')
}

func (e *encoder) exchange(x *Exchange) {
	e.w.WriteByte('{')
	e.member("id", x.ID)
	e.member("start", x.Start)
	e.member("settings", &x.Settings)
	e.raw(`"client":`)
	e.request(&x.Client)
	e.raw(`,"upstream":[`)
	for i := range x.Upstream {
		if i > 0 {
			e.w.WriteByte(',')
		}
		e.hop(&x.Upstream[i])
	}
	e.raw(`],"response":`)
	e.response(&x.Response)
	e.raw(`,"usage":`)
	e.value(&x.Usage)
	if len(x.Records) > 0 {
		e.raw(`,"records":`)
		e.value(x.Records)
	}
	e.raw("}\n")
}

func (e *encoder) hop(h *Hop) {
	e.w.WriteByte('{')
	e.member("at", h.At)
	e.raw(`"request":`)
	e.request(&h.Request)
	if h.Response != nil {
		e.raw(`,"response":`)
		e.response(h.Response)
	}
	if h.Error != "" {
		e.raw(`,"error":`)
		e.value(h.Error)
	}
	e.w.WriteByte('}')
}

func (e *encoder) request(r *Request) {
	e.w.WriteByte('{')
	e.member("method", r.Method)
	e.member("path", r.Path)
	if r.Tenant > 0 {
		e.member("tenant", r.Tenant)
	}
	e.headers(r.Headers)
	e.raw(`"body":`)
	e.text(r.Body...)
	e.w.WriteByte('}')
}

func (e *encoder) response(r *Response) {
	e.w.WriteByte('{')
	e.member("at", r.At)
	e.member("status", r.Status)
	e.headers(r.Headers)
	e.raw(`"chunks":[`)
	for i, c := range r.Chunks {
		if i > 0 {
			e.w.WriteByte(',')
		}
		e.w.WriteByte('[')
		e.int(c.At)
		e.w.WriteByte(',')
		e.text(c.Data)
		e.w.WriteByte(']')
	}
	e.raw(`],`)
	e.member("end_at", r.EndAt)
	e.raw(`"end":`)
	e.value(r.End)
	e.w.WriteByte('}')
}

// headers writes an array also where there are none.
func (e *encoder) headers(h []Header) {
	if h == nil {
		h = []Header{}
	}
	e.member("headers", h)
}
