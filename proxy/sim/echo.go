package sim

import (
	"encoding/json"
	"strings"
)

// Echo is a script that a prompt drives. Lines of the latest user item that
// read so are obeyed:
//
//	call NAME {json}   call this tool with these arguments, verbatim
//	say TEXT           answer with this text
//	think TEXT         reason with this text
//
// Several lines make one answer, so two calls are parallel calls. A line that
// begins with "then " starts the next answer of the same turn:
//
//	call read_file {"path":"a"}
//	then call send_message {"agent_id":"root","message":"read it"}
//	then say finished
//
// With nothing (left) to obey, the answer is one line of text that tells the
// last item, so a tool loop always ends. It never begins with "call", so that
// a text relayed to another agent does not drive that one by accident.
func Echo(r Request) Answer {
	step := 0
walk:
	for i := len(r.Items) - 1; i >= 0; i-- {
		switch it := r.Items[i]; it.Role {
		case "user":
			if steps := program(it.Text); steps != nil {
				if step < len(steps) {
					return steps[step]
				}
				break walk
			}
		case "assistant":
			if len(it.Calls) == 0 {
				break walk // an earlier turn
			}
			step++
		}
	}
	return Answer{Text: retell(r.Items)}
}

// program reads the answers that a text asks for; nil when it asks for none.
func program(text string) []Answer {
	var steps []Answer
	for line := range strings.Lines(text) {
		line, then := strings.CutPrefix(strings.TrimSpace(line), "then ")
		verb, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		name, args, _ := strings.Cut(rest, " ")
		args = strings.TrimSpace(args)
		switch {
		case verb == "call" && strings.HasPrefix(args, "{") && json.Valid([]byte(args)):
		case (verb == "say" || verb == "think") && rest != "":
		default:
			continue
		}
		if then || steps == nil {
			steps = append(steps, Answer{})
		}
		a := &steps[len(steps)-1]
		switch verb {
		case "call":
			a.Calls = append(a.Calls, Call{Name: name, Arguments: args})
		case "say":
			a.Text = rest
		case "think":
			a.Reasoning = rest
		}
	}
	return steps
}

// retell is one line about the last item, or the last batch of results.
func retell(items []Item) string {
	if len(items) == 0 {
		return "Nothing was said."
	}
	last := items[len(items)-1]
	if last.Role != "tool" {
		return "The " + last.Role + " said: " + oneLine(last.Text)
	}
	first := len(items) - 1
	for first > 0 && items[first-1].Role == "tool" {
		first--
	}
	var results []string
	for _, it := range items[first:] {
		results = append(results, oneLine(it.Text))
	}
	return "The results are: " + strings.Join(results, "; ")
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(cut(s, 200)), " ")
}
