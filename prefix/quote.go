package prefix

import "unicode/utf8"

// Quote encodes s as a JSON string. Only what JSON demands is escaped, and
// invalid UTF-8 becomes U+FFFD, so that text which the proxy inserts can never
// make a request that a provider refuses. The form is this package's own: the
// same text has the same bytes whatever the version of encoding/json.
func Quote(s string) []byte {
	out := make([]byte, 0, len(s)+len(s)/16+2)
	return append(appendEscaped(append(out, '"'), s), '"')
}

// appendEscaped appends what stands between the quotes.
func appendEscaped(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			if c < ' ' {
				out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				out = append(out, c)
			}
		}
		i++
	}
	return out
}
