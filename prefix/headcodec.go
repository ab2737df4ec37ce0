package prefix

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrHead is returned, wrapped with the offset, for bytes that are no encoded
// head.
var ErrHead = errors.New("prefix: not an encoded head")

// headVersion opens an encoded head. Another layout gets another number.
const headVersion = 1

// Encode returns the head as bytes: equal heads have equal encodings, and
// DecodeHead returns every value byte for byte.
//
// The layout is the version, the number of tools plus one (0 for none), the
// number of system items, the number of fields, then all values in that order,
// a field's name before its value. Numbers are minimal uvarints, values follow
// their length.
func (h Head) Encode() []byte {
	out := make([]byte, 0, h.Size()+16+8*(len(h.Tools)+len(h.System))+32*len(h.Fields))
	out = append(out, headVersion)
	tools := uint64(0)
	if h.Tools != nil {
		tools = uint64(len(h.Tools)) + 1
	}
	out = binary.AppendUvarint(out, tools)
	out = binary.AppendUvarint(out, uint64(len(h.System)))
	out = binary.AppendUvarint(out, uint64(len(h.Fields)))
	for _, raw := range h.Tools {
		out = appendFramed(out, raw)
	}
	for _, raw := range h.System {
		out = appendFramed(out, raw)
	}
	for _, f := range h.Fields {
		out = appendFramed(appendFramed(out, f.Name), f.Raw)
	}
	return out
}

func appendFramed[T string | []byte](out []byte, value T) []byte {
	return append(binary.AppendUvarint(out, uint64(len(value))), value...)
}

// DecodeHead reads what Encode wrote. The head aliases data. Anything else is
// ErrHead.
func DecodeHead(data []byte) (Head, error) {
	if len(data) == 0 || data[0] != headVersion {
		return Head{}, fmt.Errorf("%w: unknown version", ErrHead)
	}
	r := headReader{data: data, at: 1}
	tools, system, fields := r.number(), r.number(), r.number()
	var h Head
	if tools > 0 {
		h.Tools = make([][]byte, 0, tools-1)
	}
	for range tools - 1 {
		h.Tools = append(h.Tools, r.value())
	}
	for range system {
		h.System = append(h.System, r.value())
	}
	for range fields {
		name := r.value()
		h.Fields = append(h.Fields, Field{string(name), r.value()})
	}
	if r.err == nil && r.at != len(data) {
		r.fail("bytes behind the end")
	}
	if r.err != nil {
		return Head{}, r.err
	}
	return h, nil
}

// headReader reads an encoded head. After an error it returns zeros and empty
// values, so the caller checks once.
type headReader struct {
	data []byte
	at   int
	err  error
}

func (r *headReader) fail(why string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: at byte %d: %s", ErrHead, r.at, why)
	}
}

// number reads a minimal uvarint. No count or length exceeds the bytes of the
// whole by more than one, which bounds what a corrupt one can make us allocate.
func (r *headReader) number() int {
	v, n := binary.Uvarint(r.data[r.at:])
	switch {
	case r.err != nil:
		return 0
	case n <= 0 || n > 1 && r.data[r.at+n-1] == 0:
		r.fail("not a minimal number")
		return 0
	case v > uint64(len(r.data)):
		r.fail("a number past the end")
		return 0
	}
	r.at += n
	return int(v)
}

func (r *headReader) value() []byte {
	n := r.number()
	if n > len(r.data)-r.at {
		r.fail("a value past the end")
	}
	if r.err != nil {
		return nil
	}
	v := Span{r.at, r.at + n}.Of(r.data)
	r.at += n
	return v
}
