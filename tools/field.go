package tools

import "bytes"

// A field accumulates one value of an answer from the deltas that carry it. A
// value that came once is kept as it came; what comes after is joined to it:
// strings and arrays grow, objects grow member by member, anything else is
// replaced. Null adds nothing.
type field struct {
	kind   byte   // as of func kind; 0 before the first value
	raw    []byte // the escaped body of a string; any other value's own text
	object *object
	array  *array // object or array is set, and raw is not used, once a second value was joined
}

// merge joins the value at s, found under this name.
func (f *field) merge(b []byte, s span, name string) {
	k := kind(b, s)
	switch {
	case k == 'n' && f.kind != 0:
	case k != f.kind || k != '"' && k != '{' && k != '[':
		*f = field{kind: k, raw: bytes.Clone(s.of(b))}
		if escaped, ok := body(b, s); ok {
			f.raw = bytes.Clone(escaped)
		}
	case k == '"':
		if escaped, _ := body(b, s); !identifies(name) || len(f.raw) == 0 {
			f.raw = append(f.raw, escaped...)
		}
	case k == '{':
		if f.object == nil {
			f.object = new(object)
			f.object.merge(f.raw, whole(f.raw))
			f.raw = nil
		}
		f.object.merge(b, s)
	case k == '[':
		if f.array == nil {
			f.array = new(array)
			f.array.merge(f.raw, whole(f.raw))
			f.raw = nil
		}
		f.array.merge(b, s)
	}
}

// identifies reports whether a string of this name says what its object is.
// Providers repeat such strings; they do not send them in pieces.
func identifies(name string) bool {
	switch name {
	case "id", "type", "name", "index", "format", "role":
		return true
	}
	return false
}

func (f *field) appendTo(dst []byte) []byte {
	switch {
	case f.object != nil:
		dst = append(dst, '{')
		dst = f.object.appendTo(dst)
		return append(dst, '}')
	case f.array != nil:
		return f.array.appendTo(dst)
	case f.kind == '"':
		return append(append(append(dst, '"'), f.raw...), '"')
	}
	return append(dst, f.raw...)
}

// An object accumulates members in the order in which they are first seen.
type object struct {
	members []member
	byName  map[string]*field // decoded name → its field
}

type member struct {
	key   []byte // as written, with its quotes
	value *field
}

// merge joins each member of the object at s.
func (o *object) merge(b []byte, s span) {
	for key, value := range members(b, s) {
		o.put(b, key, value)
	}
}

func (o *object) put(b []byte, key, value span) {
	n := string(name(b, key))
	f := o.byName[n]
	if f == nil {
		if o.byName == nil {
			o.byName = make(map[string]*field)
		}
		f = new(field)
		o.byName[n] = f
		o.members = append(o.members, member{bytes.Clone(key.of(b)), f})
	}
	f.merge(b, value, n)
}

// appendTo appends the members that are not null, comma-separated.
func (o *object) appendTo(dst []byte) []byte {
	first := true
	for _, m := range o.members {
		if m.value.kind == 'n' {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, m.key...), ':')
		dst = m.value.appendTo(dst)
	}
	return dst
}

// An array accumulates elements. Objects with the same index and type are
// pieces of one element, as providers stream reasoning_details.
type array struct {
	elements []*field
	byIndex  map[string]*field // index, and index with type → the latest such element
}

// merge joins each element of the array at s.
func (a *array) merge(b []byte, s span) {
	for value := range elements(b, s) {
		var index, typ, id span
		for key, v := range members(b, value) {
			switch string(name(b, key)) {
			case "index":
				index = v
			case "type":
				typ = v
			case "id":
				id = v
			}
		}
		if !given(b, index) {
			a.add(b, value)
			continue
		}
		plain := string(index.of(b))
		typed := plain + " " + text(b, typ)
		f := a.byIndex[typed]
		if f == nil && !given(b, typ) {
			f = a.byIndex[plain]
		}
		if f == nil || f.another(b, id) {
			f = a.add(b, value)
		} else {
			f.merge(b, value, "")
		}
		if a.byIndex == nil {
			a.byIndex = make(map[string]*field)
		}
		a.byIndex[plain], a.byIndex[typed] = f, f
	}
}

func (a *array) add(b []byte, s span) *field {
	f := new(field)
	f.merge(b, s, "")
	a.elements = append(a.elements, f)
	return f
}

// another reports whether the object f has an id that is not the one at s.
func (f *field) another(b []byte, id span) bool {
	if empty(b, id) {
		return false
	}
	if f.object == nil {
		for key, v := range members(f.raw, whole(f.raw)) {
			if string(name(f.raw, key)) == "id" {
				return !empty(f.raw, v) && !bytes.Equal(v.of(f.raw), id.of(b))
			}
		}
		return false
	}
	has := f.object.byName["id"]
	return has != nil && has.kind == '"' && len(has.raw) > 0 && text(b, id) != unescape(has.raw)
}

func (a *array) appendTo(dst []byte) []byte {
	dst = append(dst, '[')
	for i, f := range a.elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.appendTo(dst)
	}
	return append(dst, ']')
}
