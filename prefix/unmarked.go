package prefix

import "bytes"

// markerKeys are the members that tell a provider where to cache. They are not
// part of the prompt: a client that moves one has not changed its history. A
// quoted key cannot stand inside a JSON string, whose quotes are escaped: where
// it is found it is a key or a whole string.
func markerKeys() [2]string { return [2]string{`"cache_control"`, `"prompt_cache_breakpoint"`} }

// markerScan finds marker keys in order. It looks at each byte once for each
// key, however many there are.
type markerScan struct {
	part []byte
	at   [2]int // key → where it is next; len(part) when nowhere
}

// next returns the position and length of the first marker key at or behind
// from, which never decreases; ok is false when there is none.
func (s *markerScan) next(from int) (at, size int, ok bool) {
	at = len(s.part)
	for k, key := range markerKeys() {
		if s.at[k] < from || from == 0 {
			s.at[k] = len(s.part)
			if i := bytes.Index(s.part[from:], []byte(key)); i >= 0 {
				s.at[k] = from + i
			}
		}
		if s.at[k] < at {
			at, size = s.at[k], len(key)
		}
	}
	return at, size, at < len(s.part)
}

// mayBeMarked is the quick look that spares most parts the search: both keys
// hold these letters.
func mayBeMarked(part []byte) bool { return bytes.Contains(part, []byte("cache_")) }

// Unmarked returns part without its cache markers; part itself when there are
// none.
func Unmarked(part []byte) []byte {
	if !mayBeMarked(part) {
		return part
	}
	var clean []byte
	done := 0 // part[:done] is in clean, or left out
	scan := markerScan{part: part}
	for at, size, ok := scan.next(0); ok; at, size, ok = scan.next(max(done, at+size)) {
		end, ok := markerEnd(part, at+size)
		if !ok {
			continue
		}
		// One comma goes with the member: the one before it, unless there is
		// none, or that one went with the member before.
		start := at
		for start > done && isJSONSpace(part[start-1]) {
			start--
		}
		if start > done && part[start-1] == ',' {
			start--
		} else if next := skipSpace(part, end); next < len(part) && part[next] == ',' {
			end = skipSpace(part, next+1)
		}
		clean = append(clean, part[done:start]...)
		done = end
	}
	if done == 0 {
		return part
	}
	return append(clean, part[done:]...)
}

// CountMarkers counts the cache markers in part.
func CountMarkers(part []byte) (n int) {
	if !mayBeMarked(part) {
		return 0
	}
	scan := markerScan{part: part}
	for at, size, ok := scan.next(0); ok; {
		end, is := markerEnd(part, at+size)
		if !is {
			end = at + size
		} else {
			n++
		}
		at, size, ok = scan.next(end)
	}
	return n
}

// markerEnd returns where the value behind a key that ends at i ends, and
// whether it makes the member a marker: null, or an object whose type is
// ephemeral or that has a mode. A tool's schema may have a property of the same
// name, but its type is another.
func markerEnd(part []byte, i int) (end int, ok bool) {
	i = skipSpace(part, i)
	if i >= len(part) || part[i] != ':' {
		return i, false
	}
	i = skipSpace(part, i+1)
	end, err := scanValue(part, i)
	if err != nil {
		return i, false
	}
	value := part[i:end]
	return end, string(value) == "null" || value[0] == '{' &&
		(bytes.Contains(value, []byte(`"ephemeral"`)) || bytes.Contains(value, []byte(`"mode"`)))
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
