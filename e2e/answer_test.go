package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// answer is what a client makes of a response.
type answer struct {
	status int
	header http.Header
	raw    string
	err    error // of reading the body

	id, role, text, finish string
	calls                  []sim.Call
	done                   bool   // data: [DONE] has come
	failure                string // message of an error object
	code                   string // its code
	item                   string // the message as the client keeps it
}

// whole reports whether a client takes this for a complete answer.
func (a answer) whole() bool {
	return a.err == nil && a.failure == "" && a.finish != "" && (a.done || !a.streamed())
}

func (a answer) streamed() bool {
	return strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream")
}

type chunk struct {
	ID      string
	Choices []struct {
		Delta, Message struct {
			Role      string
			Content   string
			ToolCalls []struct {
				Index    *int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Error *struct{ Message, Code string }
}

// readAnswer reads a response to its end. Whatever comes, it must be one answer: one
// id, one role, one finish, calls numbered without gaps.
func readAnswer(t *testing.T, response *http.Response) answer {
	t.Helper()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw), err: err}
	if !a.streamed() {
		var c chunk
		if err := json.Unmarshal(raw, &c); err != nil && a.err == nil {
			a.err = err
		}
		a.add(t, c)
	} else {
		for _, event := range strings.SplitAfter(a.raw, "\n\n") {
			data, ok := strings.CutPrefix(strings.TrimSuffix(event, "\n\n"), "data: ")
			switch {
			case !ok || !strings.HasSuffix(event, "\n\n"): // a comment, or cut off
			case a.done:
				t.Errorf("after [DONE] comes %q", data)
			case data == "[DONE]":
				a.done = true
			default:
				var c chunk
				if err := json.Unmarshal([]byte(data), &c); err != nil {
					t.Errorf("event %q: %v", data, err)
				}
				a.add(t, c)
			}
		}
	}
	a.item = a.message()
	return a
}

func (a *answer) add(t *testing.T, c chunk) {
	t.Helper()
	if c.Error != nil {
		a.failure, a.code = c.Error.Message, c.Error.Code
		return
	}
	if a.id != "" && c.ID != a.id {
		t.Errorf("the answer has the ids %s and %s", a.id, c.ID)
	}
	a.id = c.ID
	for _, choice := range c.Choices {
		if a.finish != "" {
			t.Errorf("after the finish comes %+v", choice)
		}
		said := choice.Delta
		if choice.Message.Role != "" {
			said = choice.Message
		}
		if said.Role != "" && a.role != "" {
			t.Errorf("a second role: %s", said.Role)
		}
		a.role += said.Role
		a.text += said.Content
		a.finish = choice.FinishReason
		for i, call := range said.ToolCalls {
			if call.Index != nil {
				i = *call.Index
			}
			if i > len(a.calls) {
				t.Errorf("call %d comes after %d others", i, len(a.calls))
				return
			}
			if i == len(a.calls) {
				a.calls = append(a.calls, sim.Call{ID: call.ID, Name: call.Function.Name})
			}
			a.calls[i].Arguments += call.Function.Arguments
		}
	}
}

func (a *answer) message() string {
	content := quote(a.text)
	if a.text == "" && len(a.calls) > 0 {
		content = "null"
	}
	var item strings.Builder
	item.WriteString(`{"role":"assistant","content":` + content)
	for i, call := range a.calls {
		if i == 0 {
			item.WriteString(`,"tool_calls":[`)
		} else {
			item.WriteString(`,`)
		}
		item.WriteString(`{"id":` + quote(call.ID) + `,"type":"function","function":{"name":` + quote(call.Name) + `,"arguments":` + quote(call.Arguments) + `}}`)
	}
	if len(a.calls) > 0 {
		item.WriteString(`]`)
	}
	return item.String() + `}`
}
