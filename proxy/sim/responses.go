package sim

// responses is the Responses protocol: messages and function calls. It stores
// nothing, and an answer's reasoning is not part of it.
type responses struct{}

type responsesWhole struct {
	ID        string          `json:"id"`
	Object    string          `json:"object"`
	CreatedAt int64           `json:"created_at"`
	Status    string          `json:"status"`
	Error     *string         `json:"error"`
	Partial   *partial        `json:"incomplete_details"`
	Model     string          `json:"model"`
	Output    []outputItem    `json:"output"`
	Usage     *responsesUsage `json:"usage"`
}

type partial struct {
	Reason string `json:"reason"`
}

type outputItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Status    string        `json:"status"`
	Role      string        `json:"role,omitempty"`
	Content   *[]outputText `json:"content,omitempty"`
	CallID    string        `json:"call_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Arguments *string       `json:"arguments,omitempty"`
}

type outputText struct {
	Type        string   `json:"type"`
	Text        string   `json:"text"`
	Annotations []string `json:"annotations"`
}

type responsesUsage struct {
	Input         int           `json:"input_tokens"`
	InputDetails  *details      `json:"input_tokens_details,omitempty"`
	Output        int           `json:"output_tokens"`
	OutputDetails outputDetails `json:"output_tokens_details"`
	Total         int           `json:"total_tokens"`
}

type outputDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

func newOutputText(s string) outputText {
	return outputText{Type: "output_text", Text: s, Annotations: []string{}}
}

// open is the response before it has any output.
func (r reply) open() responsesWhole {
	return responsesWhole{
		ID: "resp_" + r.id, Object: "response", CreatedAt: r.created, Status: "in_progress",
		Model: r.model, Output: []outputItem{},
	}
}

// closed is the response with its output and usage.
func (r reply) closed(output []outputItem) responsesWhole {
	w := r.open()
	w.Status, w.Output = "completed", output
	if r.answer.finish() == "length" {
		w.Status, w.Partial = "incomplete", &partial{"max_output_tokens"}
	}
	w.Usage = &responsesUsage{
		Input: r.counts.prompt, Output: r.counts.completion, Total: r.counts.prompt + r.counts.completion,
	}
	if r.dialect != None {
		w.Usage.InputDetails = &details{r.counts.cached}
	}
	return w
}

// output is the answer's text, then its calls.
func (r reply) output() []outputItem {
	var items []outputItem
	if r.answer.Text != "" || len(r.answer.Calls) == 0 {
		items = append(items, outputItem{
			ID: "msg_" + r.id, Type: "message", Status: "completed", Role: "assistant",
			Content: &[]outputText{newOutputText(r.answer.Text)},
		})
	}
	for _, c := range r.answer.Calls {
		items = append(items, outputItem{
			ID: "fc_" + c.ID, Type: "function_call", Status: "completed",
			CallID: c.ID, Name: c.Name, Arguments: &c.Arguments,
		})
	}
	return items
}

// whole is the answer as one body.
func (responses) whole(r reply) []byte { return encode(r.closed(r.output())) }
