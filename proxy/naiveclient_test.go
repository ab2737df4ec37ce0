package proxy_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// assemble is a naive client: it joins the deltas of a stream as SDKs do.
func assemble(t *testing.T, body []byte, stream bool) (message json.RawMessage, whole bool) {
	t.Helper()
	if !stream {
		var r struct {
			Choices []struct{ Message json.RawMessage }
		}
		if json.Unmarshal(body, &r) != nil || len(r.Choices) == 0 {
			return nil, false
		}
		return r.Choices[0].Message, true
	}
	type call struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	var m struct {
		Role      string  `json:"role"`
		Content   string  `json:"content"`
		ToolCalls []*call `json:"tool_calls,omitempty"`
	}
	ids, finishes := map[string]bool{}, 0
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			whole = true
			continue
		}
		var chunk struct {
			ID      string
			Error   json.RawMessage
			Choices []struct {
				Delta struct {
					Role, Content string
					ToolCalls     []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("a chunk is no JSON: %v: %s", err, data)
		}
		if chunk.Error != nil {
			return nil, false
		}
		ids[chunk.ID] = true
		for _, choice := range chunk.Choices {
			if choice.Delta.Role != "" {
				if m.Role != "" {
					t.Fatalf("two roles in one answer:\n%s", body)
				}
				m.Role = choice.Delta.Role
			}
			m.Content += choice.Delta.Content
			for _, d := range choice.Delta.ToolCalls {
				if d.Index > len(m.ToolCalls) || d.Index < 0 {
					t.Fatalf("call indices have a gap:\n%s", body)
				}
				if d.Index == len(m.ToolCalls) {
					m.ToolCalls = append(m.ToolCalls, &call{Type: "function"})
				}
				c := m.ToolCalls[d.Index]
				if d.ID != "" {
					c.ID = d.ID
				}
				c.Function.Name += d.Function.Name
				c.Function.Arguments += d.Function.Arguments
			}
			if choice.FinishReason != "" {
				finishes++
			}
		}
	}
	if whole && (len(ids) != 1 || finishes != 1) {
		t.Fatalf("%d ids and %d finishes in one answer:\n%s", len(ids), finishes, body)
	}
	for _, c := range m.ToolCalls {
		if c.Function.Name != "pick" {
			t.Fatalf("the client sees a call of %s:\n%s", c.Function.Name, body)
		}
	}
	message, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return message, whole
}
