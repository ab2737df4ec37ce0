package prefix

import (
	"slices"
	"strings"
)

// object is a JSON object for reading by name.
type object []member

type member struct {
	name  string
	value []byte
}

func membersOf(raw []byte) (object, bool) {
	members, err := Members(raw)
	if err != nil {
		return nil, false
	}
	o := make(object, len(members))
	for i, m := range members {
		o[i] = member{m.Name, m.Value.Of(raw)}
	}
	return o, true
}

// get returns the value of a member, the last one where a name is repeated;
// nil when it is absent or null.
func (o object) get(name string) []byte {
	for _, m := range slices.Backward(o) {
		if m.name == name {
			if isNull(m.value) {
				return nil
			}
			return m.value
		}
	}
	return nil
}

// text returns the member as text; "" when it is not a string.
func (o object) text(name string) string {
	s, _ := Text(o.get(name))
	return s
}

// object returns the member as an object; nil when it is not one.
func (o object) object(name string) object {
	inner, _ := membersOf(o.get(name))
	return inner
}

// objects returns the elements of a member that is an array; an element that
// is no object becomes one with an unnamed member, so that it equals only itself.
func (o object) objects(name string) []object { return objectsOf(o.get(name)) }

func objectsOf(array []byte) []object {
	elements, err := Elements(array)
	if err != nil {
		return nil
	}
	objects := make([]object, len(elements))
	for i, raw := range elements {
		inner, ok := membersOf(raw)
		if !ok {
			inner = object{{"", raw}}
		}
		objects[i] = inner
	}
	return objects
}

// partsOf returns content as parts: a string is one text part, and blank text
// is none.
func partsOf(content []byte) []object {
	var parts []object
	switch {
	case len(content) == 0:
	case content[0] == '[':
		parts = objectsOf(content)
	case content[0] == '"':
		parts = []object{{{"type", []byte(`"text"`)}, {"text", content}}}
	default:
		parts = []object{{{"", content}}}
	}
	return slices.DeleteFunc(parts, func(p object) bool {
		return p.text("type") == "text" && strings.TrimFunc(p.text("text"), isBlank) == ""
	})
}

func isNull(raw []byte) bool { return string(raw) == "null" }
