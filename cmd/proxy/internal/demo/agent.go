package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

// maxRounds bounds how often one turn goes back to the model with tool results.
const maxRounds = 8

// agent is one conversation as its client keeps it, with what the client sends
// along. Apart from two headers it knows nothing of the proxy.
type agent struct {
	api      *openai.Client
	model    string
	tools    []openai.Tool // nil sends none
	messages []openai.ChatCompletionMessage
}

// newAgent returns an agent that talks to an OpenAI-compatible base URL. With
// an id it is identified; with a parent it is that agent's fork.
func newAgent(base, model, id, parent string) *agent {
	config := openai.DefaultConfig("") // the proxy adds the provider's key, if there is one
	config.BaseURL = base
	config.HTTPClient = &http.Client{Transport: identity{id: id, parent: parent}}
	return &agent{api: openai.NewClientWithConfig(config), model: model}
}

// identity is a transport that says on whose behalf a request is made.
type identity struct{ id, parent string }

func (i identity) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if i.id != "" {
		r.Header.Set("X-Agent-Id", i.id)
	}
	if i.parent != "" {
		r.Header.Set("X-Agent-Parent-Id", i.parent)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// say appends a message of the user.
func (a *agent) say(text string) {
	a.messages = append(a.messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text})
}

// ask sends the conversation and appends the model's answer to it. It returns
// the time from sending to the first event with text, reasoning or a call.
func (a *agent) ask(ctx context.Context) (first time.Duration, err error) {
	start := time.Now()
	stream, err := a.api.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model:         a.model,
		Messages:      a.messages,
		Tools:         a.tools,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	answer := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			a.messages = append(a.messages, answer)
			return first, nil
		} else if err != nil {
			return first, err
		}
		if len(chunk.Choices) == 0 {
			continue // usage
		}
		delta := chunk.Choices[0].Delta
		if first == 0 && (delta.Content != "" || delta.ReasoningContent != "" || len(delta.ToolCalls) > 0) {
			first = time.Since(start)
		}
		answer.Content += delta.Content
		answer.ReasoningContent += delta.ReasoningContent
		for _, call := range delta.ToolCalls {
			answer.ToolCalls = appendCall(answer.ToolCalls, call)
		}
	}
}

// appendCall adds one piece of a streamed call: its first piece has an id.
func appendCall(calls []openai.ToolCall, piece openai.ToolCall) []openai.ToolCall {
	if len(calls) == 0 || piece.ID != "" && piece.ID != calls[len(calls)-1].ID {
		piece.Index = nil // it numbers pieces of a stream, and has no place in a history
		return append(calls, piece)
	}
	calls[len(calls)-1].Function.Arguments += piece.Function.Arguments
	return calls
}

// answer is the latest message.
func (a *agent) answer() openai.ChatCompletionMessage { return a.messages[len(a.messages)-1] }

// finish runs the tools that the model called and asks again, until the model
// calls none.
func (a *agent) finish(ctx context.Context) error {
	for range maxRounds {
		calls := a.answer().ToolCalls
		if len(calls) == 0 {
			return nil
		}
		for _, call := range calls {
			a.messages = append(a.messages, openai.ChatCompletionMessage{
				Role:       openai.ChatMessageRoleTool,
				ToolCallID: call.ID,
				Content:    runTool(call.Function.Name, call.Function.Arguments),
			})
		}
		if _, err := a.ask(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the model still calls tools after %d rounds", maxRounds)
}

// turn asks, and finishes what the answer begins.
func (a *agent) turn(ctx context.Context, prompt string) error {
	a.say(prompt)
	if _, err := a.ask(ctx); err != nil {
		return err
	}
	return a.finish(ctx)
}
