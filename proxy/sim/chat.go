package sim

import "encoding/json"

// chat is the chat completions protocol.
type chat struct {
	lenient bool // see Config.Lenient
}

type chatWhole struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   usage        `json:"usage"`
	Timings *timings     `json:"timings,omitempty"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      chatAnswer `json:"message"`
	Logprobs     *int       `json:"logprobs"`
	FinishReason string     `json:"finish_reason"`
}

type chatAnswer struct {
	Role      string      `json:"role"`
	Content   *string     `json:"content"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	ToolCalls []deltaCall `json:"tool_calls,omitempty"`
}

// whole is the answer as one body.
func (chat) whole(r reply) []byte {
	m := chatAnswer{Role: "assistant", Reasoning: r.answer.Reasoning}
	if r.answer.Text != "" || len(r.answer.Calls) == 0 {
		m.Content = &r.answer.Text
	}
	for _, c := range r.answer.Calls {
		m.ToolCalls = append(m.ToolCalls, deltaCall{ID: c.ID, Type: "function", Function: deltaFunction{Name: c.Name, Arguments: c.Arguments}})
	}
	return encode(chatWhole{
		ID: "chatcmpl-" + r.id, Object: "chat.completion", Created: r.created, Model: r.model,
		Choices: []chatChoice{{Message: m, FinishReason: r.answer.finish()}},
		Usage:   r.dialect.usage(r.counts), Timings: r.dialect.timings(r.counts),
	})
}

type chatChunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []chunkChoice   `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
	Timings *timings        `json:"timings,omitempty"`
}

type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string          `json:"role,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"` // "null" is null
	Reasoning string          `json:"reasoning_content,omitempty"`
	ToolCalls []deltaCall     `json:"tool_calls,omitempty"`
}

// deltaCall is one call of a delta, and without Index one of a whole message.
type deltaCall struct {
	Index    *int          `json:"index,omitempty"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function deltaFunction `json:"function"`
}

type deltaFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// events is the answer as a stream: the role, reasoning, text and calls in
// pieces, the finish, the usage where asked for, [DONE].
func (chat) events(r reply) stream {
	var s stream
	frame := func(choices []chunkChoice, use json.RawMessage, t *timings) {
		s.add("", encode(chatChunk{
			ID: "chatcmpl-" + r.id, Object: "chat.completion.chunk", Created: r.created, Model: r.model,
			Choices: choices, Usage: use, Timings: t,
		}))
	}
	var noUsage json.RawMessage
	if r.usage {
		noUsage = json.RawMessage("null")
	}
	emit := func(d delta) { frame([]chunkChoice{{Delta: d}}, noUsage, nil) }

	a := r.answer
	opening := json.RawMessage(`""`)
	if a.Text == "" && len(a.Calls) > 0 {
		opening = json.RawMessage("null")
	}
	emit(delta{Role: "assistant", Content: opening})
	for _, p := range a.pieces(a.Reasoning) {
		emit(delta{Reasoning: p})
	}
	for _, p := range a.pieces(a.Text) {
		emit(delta{Content: encode(p)})
	}
	for i, c := range a.Calls {
		emit(delta{ToolCalls: []deltaCall{{Index: &i, ID: c.ID, Type: "function", Function: deltaFunction{Name: c.Name}}}})
		for _, p := range a.pieces(c.Arguments) {
			emit(delta{ToolCalls: []deltaCall{{Index: &i, Function: deltaFunction{Arguments: p}}}})
		}
	}

	s.finish = len(s.frames)
	// llama.cpp puts its timings into the last chunk, whichever that is.
	t := r.dialect.timings(r.counts)
	last := t
	if r.usage {
		last = nil
	}
	frame([]chunkChoice{{FinishReason: new(a.finish())}}, noUsage, last)
	if r.usage {
		frame([]chunkChoice{}, encode(r.dialect.usage(r.counts)), t)
	}
	s.add("", []byte("[DONE]"))
	return s
}
