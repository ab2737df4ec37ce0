package tools

import (
	"encoding/json"
	"strings"
)

// ev frames data as a provider does.
func ev(data string) string { return "data: " + data + "\n\n" }

// ours is the predicate of the tests: the proxy owns the standard names.
func ours(name string) bool {
	return name == SendMessage || name == InterruptAgent || name == ListAgents
}

// feed gives a View the events of one step and returns what it let through.
func feed(v *View, events ...string) string {
	var out strings.Builder
	for _, e := range events {
		name, data := "", []byte(nil)
		for line := range strings.Lines(e) {
			if s, ok := strings.CutPrefix(line, "data: "); ok {
				data = []byte(strings.TrimRight(s, "\r\n"))
			}
			if s, ok := strings.CutPrefix(line, "event: "); ok {
				name = strings.TrimRight(s, "\r\n")
			}
		}
		out.Write(v.Frame([]byte(e), name, data))
	}
	return out.String()
}

// A client is a naive one: it believes what it reads.
type client struct {
	IDs, Finishes []string
	Roles         int
	Text          string
	Calls         []struct{ ID, Name, Args string }
	Usages        []map[string]any
	Done          bool
}

// read returns what a client makes of a stream.
func read(t interface{ Fatalf(string, ...any) }, stream string) client {
	var c client
	for e := range strings.SplitSeq(stream, "\n\n") {
		data, ok := strings.CutPrefix(e, "data: ")
		if !ok {
			continue
		}
		if c.Done {
			t.Fatalf("an event after [DONE]: %s", e)
		}
		if data == "[DONE]" {
			c.Done = true
			continue
		}
		var chunk struct {
			ID      string
			Choices []struct {
				Delta struct {
					Role, Content *string
					ToolCalls     []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
			Usage map[string]any
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		c.IDs = append(c.IDs, chunk.ID)
		if chunk.Usage != nil {
			c.Usages = append(c.Usages, chunk.Usage)
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Role != nil {
				c.Roles++
			}
			if choice.Delta.Content != nil {
				c.Text += *choice.Delta.Content
			}
			for _, call := range choice.Delta.ToolCalls {
				for len(c.Calls) <= call.Index {
					c.Calls = append(c.Calls, struct{ ID, Name, Args string }{})
				}
				known := &c.Calls[call.Index]
				if known.ID == "" {
					known.ID = call.ID
				}
				if known.Name == "" {
					known.Name = call.Function.Name
				}
				known.Args += call.Function.Arguments
			}
			if choice.FinishReason != nil {
				c.Finishes = append(c.Finishes, *choice.FinishReason)
			}
		}
	}
	return c
}
