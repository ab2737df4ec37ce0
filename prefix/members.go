package prefix

// A Member is one key and value of an object. Its spans are relative to the
// object's text.
type Member struct {
	Name  string // decoded
	Key   Span   // with its quotes
	Value Span   // without white space around it
}

// Members returns the members of the one object that obj holds, in order. A
// repeated key is returned as often as it is written: which one counts is the
// reader's business.
func Members(obj []byte) ([]Member, error) {
	at := skipSpace(obj, 0)
	if at >= len(obj) || obj[at] != '{' {
		return nil, unexpected(obj, at, "an object")
	}
	var members []Member
	end, err := scanObject(obj, at, 0, func(key Span, at int) (int, error) {
		end, err := scanNested(obj, at, 1)
		members = append(members, Member{name(key.Of(obj)), key, Span{at, end}})
		return end, err
	})
	if err != nil {
		return nil, err
	}
	return members, atEnd(obj, end)
}

// Elements returns the elements of the one array that arr holds, in order. They
// alias arr, with capped capacity.
func Elements(arr []byte) ([][]byte, error) {
	at := skipSpace(arr, 0)
	if at >= len(arr) || arr[at] != '[' {
		return nil, unexpected(arr, at, "an array")
	}
	var elements [][]byte
	end, err := scanArray(arr, at, 0, func(at int) (int, error) {
		end, err := scanNested(arr, at, 1)
		elements = append(elements, Span{at, end}.Of(arr))
		return end, err
	})
	if err != nil {
		return nil, err
	}
	return elements, atEnd(arr, end)
}

// atEnd reports anything but white space from b[i] on.
func atEnd(b []byte, i int) error {
	if i = skipSpace(b, i); i < len(b) {
		return unexpected(b, i, "the end")
	}
	return nil
}
