package sim

import (
	"encoding/json"
	"errors"
	"fmt"
)

type responsesBody struct {
	Model              string
	Instructions       string
	Input              json.RawMessage
	Tools              []json.RawMessage
	Stream             bool
	PreviousResponseID string `json:"previous_response_id"`
	Reasoning          json.RawMessage
	Text               json.RawMessage
}

type responsesItem struct {
	Type      string
	Role      string
	Content   json.RawMessage
	CallID    string `json:"call_id"`
	Name      string
	Arguments string
	Output    json.RawMessage
}

// parse reads a Responses body into r.
func (responses) parse(r *Request) error {
	var b responsesBody
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return err
	}
	if b.Model == "" {
		return errors.New("you must provide a model parameter")
	}
	if b.PreviousResponseID != "" {
		return fmt.Errorf("previous response with id %q not found: responses are not stored", b.PreviousResponseID)
	}
	r.Model, r.Tools, r.Stream = b.Model, b.Tools, b.Stream
	r.includeUsage, r.noReasoning = true, true
	r.options = rendered(option{"reasoning", b.Reasoning}, option{"text", b.Text})
	if b.Instructions != "" {
		r.Items = append(r.Items, Item{Role: "system", Text: b.Instructions})
	}
	if len(b.Input) > 0 && b.Input[0] == '"' {
		text, err := contentText(b.Input)
		r.Items = append(r.Items, Item{Role: "user", Text: text, Raw: b.Input})
		return err
	}
	var input []json.RawMessage
	if err := json.Unmarshal(b.Input, &input); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	for i, raw := range input {
		if err := addResponsesItem(r, raw); err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	return nil
}

// addResponsesItem appends an input item to r, or joins a call to the assistant
// item before it, as the model produced them.
func addResponsesItem(r *Request, raw json.RawMessage) error {
	var in responsesItem
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	switch in.Type {
	case "", "message":
		text, err := contentText(in.Content)
		r.Items = append(r.Items, Item{Role: in.Role, Text: text, Raw: raw})
		return err
	case "function_call":
		if n := len(r.Items); n == 0 || r.Items[n-1].Role != "assistant" {
			r.Items = append(r.Items, Item{Role: "assistant", Raw: raw})
		}
		last := &r.Items[len(r.Items)-1]
		last.Calls = append(last.Calls, Call{in.CallID, in.Name, in.Arguments})
		return nil
	case "function_call_output":
		text, err := contentText(in.Output)
		r.Items = append(r.Items, Item{Role: "tool", CallID: in.CallID, Text: text, Raw: raw})
		return err
	}
	r.Items = append(r.Items, Item{Role: in.Type, Text: string(raw), Raw: raw})
	return nil
}
