package prefix

import "strings"

// ItemOf reads one item by itself, as Split would among others. Of a value that is no
// item only Raw is set.
func ItemOf(raw []byte) Item {
	b := Body{Raw: raw}
	if _, err := b.scanItem(skipSpace(raw, 0)); err != nil || len(b.Items) == 0 {
		return Item{Raw: raw}
	}
	return b.Items[0]
}

// ToolName returns the name of a tool's definition, as Split reads it.
func ToolName(raw []byte) string { return toolName(raw) }

// ContentText returns the text of an item's content: the string, or its text parts with
// nothing between. Parts of another kind have none.
func ContentText(item []byte) string {
	o, _ := membersOf(item)
	var b strings.Builder
	for _, part := range partsOf(o.get("content")) {
		b.WriteString(part.text("text"))
	}
	return b.String()
}
