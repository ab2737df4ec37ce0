package prefix

// pair finds for each element of b one of a: the first that nobody has taken
// under the first key by which they are equal. at holds its position in a, -1
// for none, and by the number of that key. A later key is computed only while
// something is left to pair.
func pair[T any](a, b []T, keys ...func(T) string) (at, by []int) {
	at, by = make([]int, len(b)), make([]int, len(b))
	for j := range at {
		at[j] = -1
	}
	taken := make([]bool, len(a))
	left := len(b)
	for k, key := range keys {
		if left == 0 {
			break
		}
		free := make(map[string][]int) // key → positions in a not yet taken, ascending
		for i, element := range a {
			if !taken[i] {
				name := key(element)
				free[name] = append(free[name], i)
			}
		}
		for j, element := range b {
			if at[j] >= 0 {
				continue
			}
			name := key(element)
			if queue := free[name]; len(queue) > 0 {
				at[j], by[j] = queue[0], k
				taken[queue[0]] = true
				free[name] = queue[1:]
				left--
			}
		}
	}
	return at, by
}

// unpaired lists the positions below n that no element was paired with.
func unpaired(n int, at []int) []int {
	taken := make([]bool, n)
	for _, i := range at {
		if i >= 0 {
			taken[i] = true
		}
	}
	var out []int
	for i := range n {
		if !taken[i] {
			out = append(out, i)
		}
	}
	return out
}

func sameBytes(raw []byte) string { return string(raw) }

func (f Field) key() string { return f.Name }
