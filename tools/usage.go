package tools

import (
	"encoding/json"
	"strconv"
)

// combine returns the usage of an answer made of several steps: the last
// step's object, since clients read its prompt as their context size, with the
// completions of all steps added up and each step's own usage in an extra
// member "trunkline". Steps hold null or nothing where a step did not report.
func combine(steps [][]byte) []byte {
	last := steps[len(steps)-1]
	s := whole(last)
	if kind(last, s) != '{' {
		return last
	}
	var completion int64
	list := []byte(`{"steps":[`)
	for i, step := range steps {
		if i > 0 {
			list = append(list, ',')
		}
		if step == nil {
			list = append(list, "null"...)
			continue
		}
		list = append(list, step...)
		n, _, _ := count(step, "completion_tokens")
		completion += n
	}
	list = append(list, "]}"...)

	edits := []edit{insert(last, s, "trunkline", list)}
	_, at, ok := count(last, "completion_tokens")
	if ok {
		edits = append(edits, edit{at, strconv.AppendInt(nil, completion, 10)})
	}
	prompt, _, hasPrompt := count(last, "prompt_tokens")
	if _, at, hasTotal := count(last, "total_tokens"); ok && hasPrompt && hasTotal {
		edits = append(edits, edit{at, strconv.AppendInt(nil, prompt+completion, 10)})
	}
	return splice(last, edits)
}

// count returns a whole number among the members of a usage object, and where
// it stands.
func count(usage []byte, member string) (n int64, at span, ok bool) {
	for key, value := range members(usage, whole(usage)) {
		if string(name(usage, key)) == member && json.Unmarshal(value.of(usage), &n) == nil && given(usage, value) {
			at, ok = value, true
		}
	}
	return n, at, ok
}
