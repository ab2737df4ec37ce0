package prefix

// EachString calls f for every string of the one value that raw holds: with the string as it
// is written, in its quotes, and the key, likewise, of the member that holds it or the arrays
// that it is in; the key is empty outside of any object. Its error is a *SyntaxError, and
// then f may have been called for what stands before.
func EachString(raw []byte, f func(key, text []byte)) error {
	end, err := eachString(raw, skipSpace(raw, 0), 0, nil, f)
	if err != nil {
		return err
	}
	return atEnd(raw, end)
}

// eachString goes through the value at b[i]. key is that of the member that holds it.
func eachString(b []byte, i, depth int, key []byte, f func(key, text []byte)) (end int, err error) {
	if i >= len(b) {
		return i, truncated(b)
	}
	switch b[i] {
	case '{':
		return scanObject(b, i, depth, func(key Span, at int) (int, error) {
			return eachString(b, at, depth+1, key.Of(b), f)
		})
	case '[':
		return scanArray(b, i, depth, func(at int) (int, error) {
			return eachString(b, at, depth+1, key, f)
		})
	case '"':
		if end, err = scanString(b, i); err == nil {
			f(key, b[i:end:end])
		}
		return end, err
	}
	return scanNested(b, i, depth)
}
