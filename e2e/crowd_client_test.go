package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// patience bounds one attempt of a client; it never decides a passing test.
const patience = time.Minute

const lookTool = `{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"at":{"type":"string"}}}}}`

// spoken is an assistant message, as SDKs put it together.
type spoken struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// turn is one prompt of a client's person, and what follows until an answer has no calls.
func (c *crowd) turn(a *agent) {
	a.messages = append(a.messages, fmt.Sprintf(`{"role":"user","content":"turn %d of %s"}`, len(a.closings)+1, a.name))
	for {
		m, raw, ok := c.ask(a)
		if !ok {
			return // the crowd has failed
		}
		a.messages = append(a.messages, raw)
		if len(m.Calls) == 0 {
			a.closings = append(a.closings, m.Content)
			return
		}
		for _, call := range m.Calls {
			if call.Function.Name != "look" {
				c.errorf("the client of %s sees a call of %s", a.name, call.Function.Name)
			}
			a.messages = append(a.messages, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"seen"}`, call.ID))
		}
	}
}

// ask sends a client's messages until an answer comes whole.
func (c *crowd) ask(a *agent) (m spoken, raw string, ok bool) {
	var body strings.Builder
	body.WriteString(`{"model":"sim-1","messages":[`)
	if a.parent == "" {
		body.WriteString(`{"role":"system","content":"You are one of several."},`)
	}
	body.WriteString(strings.Join(a.messages, ","))
	fmt.Fprintf(&body, `],"stream":%v`, a.stream)
	if a.parent == "" {
		body.WriteString(`,"tools":[` + lookTool + `]`)
	}
	body.WriteString("}")
	for {
		door := c.choose(a)
		if door == nil {
			return m, "", false
		}
		status, answer, err := c.attempt(a, door, body.String())
		switch {
		case c.ctx.Err() != nil:
			return m, "", false
		case errors.Is(err, context.DeadlineExceeded):
			c.errorf("%s waits for an answer for %s", a.name, patience)
			return m, "", false
		case status == 0, status == http.StatusOK && err != nil && !a.stream:
			continue // a proxy died under it
		case c.late && status == http.StatusConflict:
			continue // it was overtaken while it was stopped
		case c.down && status == http.StatusServiceUnavailable:
			c.pause(50 * time.Millisecond)
			continue
		case status != http.StatusOK:
			c.errorf("%s is answered %d: %s", a.name, status, answer)
			return m, "", false
		}
		m, raw, err = a.read(answer)
		switch {
		case err == nil:
			c.answered(a)
			return m, raw, true
		case !errors.Is(err, errCut):
			c.errorf("%s reads %v:\n%s", a.name, err, answer)
			return m, "", false
		}
	}
}

// attempt sends one request; status is 0 when not even a header came back.
func (c *crowd) attempt(a *agent, at *door, body string) (status int, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(at.ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-Story", a.name)
	r.Header.Set("X-Agent-Id", a.name)
	if a.parent != "" {
		r.Header.Set("X-Agent-Parent-Id", a.parent)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// pause lets some time pass.
func (c *crowd) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.ctx.Done():
	}
}

// errCut says that an answer lacks its end, or tells so itself.
var errCut = errors.New("an answer without its end")

// read puts an answer together; raw is the message as the client will echo it.
func (a *agent) read(answer []byte) (m spoken, raw string, err error) {
	if !a.stream {
		var whole struct {
			Choices []struct{ Message json.RawMessage }
		}
		if err := json.Unmarshal(answer, &whole); err != nil {
			return m, "", err
		}
		if len(whole.Choices) != 1 {
			return m, "", errors.New("no answer")
		}
		raw := whole.Choices[0].Message
		return m, string(raw), json.Unmarshal(raw, &m)
	}
	m, err = readStream(answer)
	if err != nil {
		return m, "", err
	}
	echo, err := json.Marshal(m)
	return m, string(echo), err
}

// readStream takes [DONE] for the end, as SDKs do, whatever the connection says then. It
// joins the deltas, and insists on one id, one role and one finish.
func readStream(answer []byte) (m spoken, err error) {
	ids, finishes, whole := map[string]bool{}, 0, false
	lines := bufio.NewScanner(bytes.NewReader(answer))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			whole = whole || ok
			continue
		}
		var chunk struct {
			ID      string
			Error   json.RawMessage
			Choices []struct {
				Delta struct {
					Role, Content string
					Calls         []struct {
						Index int
						toolCall
					} `json:"tool_calls"`
				}
				Finish string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return m, err
		}
		if chunk.Error != nil {
			return m, errCut
		}
		ids[chunk.ID] = true
		for _, choice := range chunk.Choices {
			if choice.Finish != "" {
				finishes++
			}
			m.Role += choice.Delta.Role
			m.Content += choice.Delta.Content
			for _, d := range choice.Delta.Calls {
				if d.Index == len(m.Calls) {
					m.Calls = append(m.Calls, toolCall{ID: d.ID, Type: "function"})
				}
				if d.Index >= len(m.Calls) {
					return m, errors.New("a gap in the call indices")
				}
				f := &m.Calls[d.Index].Function
				f.Name += d.Function.Name
				f.Arguments += d.Function.Arguments
			}
		}
	}
	switch {
	case !whole:
		return m, errCut
	case len(ids) != 1 || finishes != 1 || m.Role != "assistant":
		return m, fmt.Errorf("%d ids, %d finishes, the role %q", len(ids), finishes, m.Role)
	}
	return m, nil
}
