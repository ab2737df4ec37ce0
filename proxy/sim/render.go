package sim

// render lays a request out as a chat template does, up to and including the
// marker after which the model speaks.
func render(r Request, order Order) *sequence {
	q := newSequence(r.Model + "\x00" + r.salt)
	for _, v := range r.options {
		q.mark(markOption)
		q.text(v)
	}
	n := leading(r.Items)
	if order == ToolsFirst {
		renderTools(q, r)
		renderInstructions(q, r.Items[:n])
	} else {
		renderInstructions(q, r.Items[:n])
		renderTools(q, r)
	}
	renderItems(q, r.Items[n:])
	q.mark(markAssistant)
	return q
}

func renderTools(q *sequence, r Request) {
	if len(r.Tools) == 0 {
		return
	}
	q.mark(markTools)
	for _, t := range r.Tools {
		q.text(string(t))
	}
	q.mark(markEnd)
}

func renderInstructions(q *sequence, items []Item) {
	renderItems(q, items)
	if n := len(q.points); n > 0 {
		q.points[n-1].ending, q.points[n-1].ofInstruction = true, true
	}
}

func renderItems(q *sequence, items []Item) {
	for i, it := range items {
		n := len(q.points)
		switch it.Role {
		case "system", "developer":
			q.mark(markSystem)
		case "user":
			q.mark(markUser)
		case "assistant":
			q.mark(markAssistant)
		case "tool":
			q.mark(markTool)
			q.text(it.CallID)
		default:
			q.mark(markOther)
			q.text(it.Role)
		}
		q.text(it.Name)
		renderSpeech(q, it.Reasoning, it.Text, it.Calls)
		if n < len(q.points) {
			p := &q.points[n]
			p.cacheControl = it.markers.control > 0
			p.cachePoint = it.markers.point > 0 && it.Role != "assistant"
			p.ending = it.Role == "user" || it.Role == "tool" && (i+1 == len(items) || items[i+1].Role != "tool")
		}
		q.mark(markEnd)
	}
}

// renderSpeech lays out what an item says. A generated answer passes through
// it too, so that its tokens are those of its later echo in the history.
func renderSpeech(q *sequence, reasoning, text string, calls []Call) {
	if reasoning != "" {
		q.mark(markReasoning)
		q.text(reasoning)
	}
	if text != "" {
		q.mark(markContent)
		q.text(text)
		q.content++
		q.points = append(q.points, point{name: q.name(), tokens: q.tokens, blocks: q.content})
	}
	q.content += len(calls)
	for _, c := range calls {
		q.mark(markCall)
		q.text(c.ID)
		q.text(c.Name)
		q.mark(markArguments)
		q.text(c.Arguments)
	}
}
