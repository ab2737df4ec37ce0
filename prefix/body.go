package prefix

// A Body is the body of a request, split into spans. Raw is never changed;
// everything else aliases it.
type Body struct {
	Raw     []byte
	Kind    Kind
	Members []Member // the top level, in order
	Items   []Item   // elements of the history
	Tools   []Tool

	// HasMessages and HasTools say that the member is there and is an array. A
	// value of another type is left for the provider to refuse.
	HasMessages, HasTools bool

	detached bool // see Detach
}

// A Kind is the request shape of one provider interface.
type Kind uint8

const (
	Chat      Kind = iota // POST /v1/chat/completions: messages
	Responses             // POST /v1/responses: instructions and input
	Messages              // POST /v1/messages: system and messages
)

// list is the name of the member that holds the history.
func (k Kind) list() string {
	if k == Responses {
		return "input"
	}
	return "messages"
}

// system is the name of the member that holds a system prompt apart from the
// history; "" when the shape has none.
func (k Kind) system() string {
	switch k {
	case Responses:
		return "instructions"
	case Messages:
		return "system"
	}
	return ""
}

// An Item is one element of the history.
type Item struct {
	Raw        []byte
	Role       string // "" when it is not an object or has none
	HasCalls   bool   // its tool_calls is an array that is not empty
	ToolCallID string // of role tool: the call that it answers

	at int // offset of Raw in the body that was split
}

// A Tool is one element of tools.
type Tool struct {
	Raw  []byte
	Name string // of the function or custom tool, else of the tool itself, else its type

	at int // offset of Raw in the body that was split
}

// Split splits the body of a chat completions request, in one pass.
//
// It fails with a *SyntaxError when raw is not one JSON object, and with a
// *DuplicateKeyError when a top-level key that the proxy acts on occurs twice,
// compared decoded: the proxy and the provider could then read different
// requests. Both carry the offset in bytes.
func Split(raw []byte) (*Body, error) { return split(raw, Chat) }

// Observe splits a body of any kind for measurement only. Repeated keys are no
// error, since nothing acts on them; the last one counts.
func Observe(raw []byte, kind Kind) (*Body, error) { return split(raw, kind) }

func split(raw []byte, kind Kind) (*Body, error) {
	b := &Body{Raw: raw, Kind: kind}
	at := skipSpace(raw, 0)
	if at >= len(raw) || raw[at] != '{' {
		return nil, unexpected(raw, at, "an object")
	}
	end, err := scanObject(raw, at, 0, b.scanMember)
	if err != nil {
		return nil, err
	}
	return b, atEnd(raw, end)
}

// Field returns the raw value of a top-level member; the last one where a name
// is repeated, as most decoders read it.
func (b *Body) Field(name string) ([]byte, bool) {
	if i := b.index(name); i >= 0 {
		return b.Members[i].Value.Of(b.Raw), true
	}
	return nil, false
}

// index returns the position of a top-level member, the last one where a name
// is repeated; -1 when there is none.
func (b *Body) index(name string) int {
	for i := len(b.Members) - 1; i >= 0; i-- {
		if b.Members[i].Name == name {
			return i
		}
	}
	return -1
}

func (b *Body) scanMember(key Span, at int) (end int, err error) {
	m := Member{Name: name(key.Of(b.Raw)), Key: key}
	if b.Kind == Chat && actsOn(m.Name) && b.index(m.Name) >= 0 {
		return at, &DuplicateKeyError{Key: m.Name, Offset: key.Start}
	}
	isArray := at < len(b.Raw) && b.Raw[at] == '['
	switch m.Name {
	case b.Kind.list():
		b.Items, b.HasMessages = nil, isArray
		if isArray {
			end, err = scanArray(b.Raw, at, 1, b.scanItem)
		} else if end, err = scanNested(b.Raw, at, 1); err == nil && b.Kind == Responses && b.Raw[at] == '"' {
			b.Items = []Item{{Raw: Span{at, end}.Of(b.Raw), Role: "user"}}
		}
	case "tools":
		b.Tools, b.HasTools = nil, isArray
		if isArray {
			end, err = scanArray(b.Raw, at, 1, b.scanTool)
		} else {
			end, err = scanNested(b.Raw, at, 1)
		}
	default:
		end, err = scanNested(b.Raw, at, 1)
	}
	m.Value = Span{at, end}
	b.Members = append(b.Members, m)
	return end, err
}

func (b *Body) scanItem(at int) (end int, err error) {
	var item Item
	var callID Span
	end, err = scanIfObject(b.Raw, at, 2, func(key Span, at int) (int, error) {
		end, err := scanNested(b.Raw, at, 3)
		if err != nil {
			return end, err
		}
		switch name(key.Of(b.Raw)) {
		case "role":
			item.Role = role(b.Raw[at:end])
		case "tool_calls":
			item.HasCalls = b.Raw[at] == '[' && b.Raw[skipSpace(b.Raw, at+1)] != ']'
		case "tool_call_id":
			callID = Span{at, end}
		}
		return end, nil
	})
	item.Raw, item.at = Span{at, end}.Of(b.Raw), at
	if item.Role == "tool" {
		item.ToolCallID, _ = Text(callID.Of(b.Raw))
	}
	b.Items = append(b.Items, item)
	return end, err
}

func (b *Body) scanTool(at int) (end int, err error) {
	var inner, outer, kind string
	end, err = scanIfObject(b.Raw, at, 2, func(key Span, at int) (end int, err error) {
		switch name(key.Of(b.Raw)) {
		case "function", "custom":
			return scanIfObject(b.Raw, at, 3, func(key Span, at int) (int, error) {
				end, err := scanNested(b.Raw, at, 4)
				if err == nil && name(key.Of(b.Raw)) == "name" {
					inner, _ = Text(b.Raw[at:end])
				}
				return end, err
			})
		case "name":
			if end, err = scanNested(b.Raw, at, 3); err == nil {
				outer, _ = Text(b.Raw[at:end])
			}
		case "type":
			if end, err = scanNested(b.Raw, at, 3); err == nil {
				kind, _ = Text(b.Raw[at:end])
			}
		default:
			end, err = scanNested(b.Raw, at, 3)
		}
		return end, err
	})
	name := inner
	if name == "" {
		name = outer
	}
	if name == "" {
		name = kind
	}
	b.Tools = append(b.Tools, Tool{Raw: Span{at, end}.Of(b.Raw), Name: name, at: at})
	return end, err
}

// scanIfObject scans any value; member looks inside when it is an object.
func scanIfObject(b []byte, at, depth int, member func(key Span, at int) (int, error)) (int, error) {
	if at < len(b) && b[at] == '{' {
		return scanObject(b, at, depth, member)
	}
	return scanNested(b, at, depth)
}

// role decodes a role; the usual ones cost no allocation.
func role(raw []byte) string {
	switch string(raw) {
	case `"user"`:
		return "user"
	case `"assistant"`:
		return "assistant"
	case `"tool"`:
		return "tool"
	case `"system"`:
		return "system"
	case `"developer"`:
		return "developer"
	}
	s, _ := Text(raw)
	return s
}
