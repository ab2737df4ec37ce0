package prefix

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Same reports whether seen, the item that a client sent, means what sent, the
// item that went upstream, means. Clients keep their history in types of their
// own and write it anew, so much that differs in bytes says nothing:
//
//   - null, "", blank text, no parts and an absent member are the same; a
//     string is one text part; blanks at both ends of a text do not count.
//   - The arguments of calls are compared as JSON, their numbers by value
//     (2.50 comes back as 2.5), and no arguments as {}. Arguments that do not
//     parse are compared as text.
//   - Bookkeeping is ignored: ids and types of items, index, status,
//     annotations, logprobs, parsed forms, cache breakpoints, names on results.
//   - Reasoning and its signatures are ignored: whether clients return them is
//     a rule of the provider, not a change of the conversation.
//   - A client may drop what an answer held besides content and calls, but not
//     what its own items held; and what it added or changed is a difference.
//
// Text that is not a JSON object is compared as JSON.
func Same(sent, seen []byte) bool {
	a, okA := membersOf(sent)
	b, okB := membersOf(seen)
	if !okA || !okB {
		return SameJSON(sent, seen)
	}
	role := a.text("role")
	return role == b.text("role") &&
		slices.EqualFunc(partsOf(a.get("content")), partsOf(b.get("content")), samePart) &&
		slices.EqualFunc(a.objects("tool_calls"), b.objects("tool_calls"), sameCall) &&
		sameFunction(a.object("function_call"), b.object("function_call")) &&
		sameRest(a, b, role == "assistant", func(name string) bool {
			switch name {
			case "role", "content", "tool_calls", "function_call":
				return true
			case "name":
				return role == "tool"
			}
			return false
		})
}

// samePart compares two content parts: text without its outer blanks,
// everything else as it is.
func samePart(a, b object) bool {
	isText := a.text("type") == "text"
	if isText && strings.TrimFunc(a.text("text"), isBlank) != strings.TrimFunc(b.text("text"), isBlank) {
		return false
	}
	return a.text("type") == b.text("type") && sameRest(a, b, false, func(name string) bool {
		return name == "type" || isText && name == "text"
	})
}

// sameCall compares two tool calls.
func sameCall(a, b object) bool {
	return a.text("id") == b.text("id") &&
		callType(a) == callType(b) &&
		sameFunction(a.object("function"), b.object("function")) &&
		sameRest(a, b, true, func(name string) bool { return name == "type" || name == "function" })
}

// callType is a call's type; clients leave the usual one out.
func callType(call object) string {
	if t := call.text("type"); t != "" {
		return t
	}
	return "function"
}

func sameFunction(a, b object) bool {
	return a.text("name") == b.text("name") &&
		sameArguments(a.get("arguments"), b.get("arguments")) &&
		sameRest(a, b, true, func(name string) bool { return name == "name" || name == "arguments" })
}

// sameArguments compares the arguments of a call: strings that should hold
// JSON, or the JSON itself.
func sameArguments(a, b []byte) bool {
	textA, textB := argumentText(a), argumentText(b)
	if textA == textB {
		return true
	}
	x, okX := parse([]byte(textA))
	y, okY := parse([]byte(textB))
	return okX && okY && sameValue(x, y)
}

func argumentText(raw []byte) string {
	s, isText := Text(raw)
	if !isText {
		s = string(raw)
	}
	if strings.TrimFunc(s, isBlank) == "" {
		return "{}"
	}
	return s
}

// sameValue is sameTree with numbers by value.
func sameValue(a, b tree) bool {
	if a.kind != b.kind || a.key != b.key || !slices.EqualFunc(a.kids, b.kids, sameValue) {
		return false
	}
	return a.text == b.text || a.kind == 'v' && sameNumber(a.text, b.text)
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// sameRest compares the members that nobody compared yet.
func sameRest(a, b object, mayDrop bool, compared func(string) bool) bool {
	for _, m := range b {
		if !compared(m.name) && !isBookkeeping(m.name) && !isReasoning(m.name) &&
			!isNull(m.value) && !SameJSON(a.get(m.name), m.value) {
			return false
		}
	}
	if mayDrop {
		return true
	}
	for _, m := range a {
		if !compared(m.name) && !isBookkeeping(m.name) && !isReasoning(m.name) &&
			!isNull(m.value) && b.get(m.name) == nil {
			return false
		}
	}
	return true
}

// isBookkeeping reports members with which clients and providers keep books:
// none of them enters a prompt.
func isBookkeeping(name string) bool {
	switch name {
	case "id", "index", "status", "annotations", "logprobs", "cache_control":
		return true
	}
	return strings.HasPrefix(name, "parsed")
}

// isReasoning reports members that carry a model's reasoning or what proves it.
func isReasoning(name string) bool {
	switch name {
	case "reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "reasoning_opaque",
		"reasoning_signature", "thinking", "thinking_blocks", "thinking_signature",
		"signature", "thought_signature", "encrypted_content",
		"extra_content": // where Gemini's thought signatures ride on calls
		return true
	}
	return false
}

// isBlank includes what JavaScript's trim takes off besides Unicode's spaces.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }
