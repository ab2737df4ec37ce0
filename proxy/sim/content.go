package sim

import (
	"encoding/json"
	"strings"
)

// contentText is a message's content as a template prints it: a string, or the
// text parts joined. Anything else (images, unknown parts) counts as its raw
// bytes. null and absent are "".
func contentText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return "", err
		}
		var b strings.Builder
		for _, p := range parts {
			var part struct{ Text *string }
			if err := json.Unmarshal(p, &part); err == nil && part.Text != nil {
				b.WriteString(*part.Text)
			} else {
				b.Write(p)
			}
		}
		return b.String(), nil
	}
	return string(raw), nil
}
