package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// client speaks for one agent over plain HTTP, as a library does: it keeps the
// conversation that it knows of, and sends all of it each time.
type client struct {
	w      *world
	id     string // "" is an anonymous client
	parent string
	header map[string]string // more headers
	stream bool
	tools  string   // raw; "" sends none
	items  []string // raw messages
	http   http.Client
}

// body is the request that the client would send now.
func (c *client) body() string {
	b := `{"model":"sim-1","messages":[` + strings.Join(c.items, ",") + `]`
	if c.tools != "" {
		b += `,"tools":` + c.tools
	}
	if c.stream {
		b += `,"stream":true`
	}
	return b + `}`
}

// post sends the request and returns when the answer's headers are here.
func (c *client) post(ctx context.Context) (*http.Response, error) {
	return c.postBody(ctx, c.body())
}

func (c *client) postBody(ctx context.Context, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.proxy.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Story", c.name())
	for name, value := range map[string]string{"X-Agent-Id": c.id, "X-Agent-Parent-Id": c.parent} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	for name, value := range c.header {
		request.Header.Set(name, value)
	}
	return c.http.Do(request)
}

// name is who the model plays.
func (c *client) name() string {
	if c.id == "" {
		return "anonymous"
	}
	return c.id
}

// user adds a user message to the conversation.
func (c *client) user(text string) *client {
	c.items = append(c.items, message("user", text))
	return c
}

// send sends the conversation, reads the whole answer, and keeps its message. An
// answer that is not whole fails the test.
func (c *client) send(t *testing.T) answer {
	t.Helper()
	a := c.try(t)
	if a.status != http.StatusOK || !a.whole() {
		t.Fatalf("%s is answered %d, not whole: %v\n%s", c.name(), a.status, a.err, a.raw)
	}
	c.items = append(c.items, a.item)
	return a
}

// try sends the conversation and reads what comes.
func (c *client) try(t *testing.T) answer {
	t.Helper()
	response, err := c.post(t.Context())
	if err != nil {
		return answer{err: err}
	}
	return readAnswer(t, response)
}

// begin sends the conversation as it is now, and returns what will come of it.
func (c *client) begin(t *testing.T) <-chan answer {
	t.Helper()
	now, first := *c, make(chan answer, 1)
	go func() { first <- now.try(t) }()
	return first
}

// results adds the results of an answer's calls.
func (c *client) results(a answer) *client {
	for _, call := range a.calls {
		c.items = append(c.items, `{"role":"tool","tool_call_id":`+quote(call.ID)+`,"content":`+quote("did "+call.Arguments)+`}`)
	}
	return c
}

// say takes a turn: it sends the text and carries out calls until an answer has none.
// It returns that answer's text.
func (c *client) say(t *testing.T, text string) string {
	t.Helper()
	c.user(text)
	for {
		a := c.send(t)
		if len(a.calls) == 0 {
			return a.text
		}
		c.results(a)
	}
}

func message(role, text string) string {
	return `{"role":` + quote(role) + `,"content":` + quote(text) + `}`
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// drain reads the rest of a body that nobody looks at.
func drain(response *http.Response) {
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
}
