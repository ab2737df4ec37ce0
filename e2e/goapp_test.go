package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/sashabaranov/go-openai"
)

// goApp is the same application on go-openai.
type goApp struct {
	conversations map[string][]openai.ChatCompletionMessage // name → messages
}

func startGoApp(*testing.T) app { return &goApp{map[string][]openai.ChatCompletionMessage{}} }

func (a *goApp) ask(t *testing.T, turn turn) reply {
	t.Helper()
	text, err := a.turn(t.Context(), turn)
	if err != nil {
		t.Fatalf("go-openai: %v", err)
	}
	messages, err := json.Marshal(a.conversations[turn.Name])
	if err != nil {
		t.Fatal(err)
	}
	return reply{Text: text, Messages: messages}
}

func (a *goApp) turn(ctx context.Context, turn turn) (text string, err error) {
	config := openai.DefaultConfig("none")
	config.BaseURL = turn.URL
	config.HTTPClient = identifying(turn)
	client := openai.NewClientWithConfig(config)

	messages := a.conversations[turn.Name]
	if turn.First {
		messages = []openai.ChatCompletionMessage{{Role: "system", Content: turn.System}}
	}
	messages = append(messages, openai.ChatCompletionMessage{Role: "user", Content: turn.Prompt})
	defer func() { a.conversations[turn.Name] = messages }()
	for {
		request := openai.ChatCompletionRequest{Model: "sim-1", Messages: messages, Tools: goTools}
		answer := create
		if turn.Way == "stream" {
			answer = stream
		}
		message, err := answer(ctx, client, request)
		if err != nil {
			return "", err
		}
		messages = append(messages, message)
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		for _, call := range message.ToolCalls {
			content, err := a.run(ctx, turn, call.Function)
			if err != nil {
				return "", err
			}
			messages = append(messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: call.ID, Content: content})
		}
	}
}

func create(ctx context.Context, client *openai.Client, request openai.ChatCompletionRequest) (message openai.ChatCompletionMessage, err error) {
	answer, err := client.CreateChatCompletion(ctx, request)
	if err != nil {
		return message, err
	}
	return answer.Choices[0].Message, nil
}

func stream(ctx context.Context, client *openai.Client, request openai.ChatCompletionRequest) (message openai.ChatCompletionMessage, err error) {
	request.Stream = true
	events, err := client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return message, err
	}
	defer events.Close()
	finish := openai.FinishReason("")
	for {
		chunk, err := events.Recv()
		if errors.Is(err, io.EOF) {
			if finish == "" {
				return message, errors.New("the stream ended without a finish")
			}
			return message, nil
		} else if err != nil {
			return message, err
		}
		choice := chunk.Choices[0] // as this library's users write it: an event without one crashes them
		finish = choice.FinishReason
		message.Role += choice.Delta.Role
		message.Content += choice.Delta.Content
		for _, delta := range choice.Delta.ToolCalls {
			for len(message.ToolCalls) <= *delta.Index {
				message.ToolCalls = append(message.ToolCalls, openai.ToolCall{})
			}
			call := &message.ToolCalls[*delta.Index]
			call.ID += delta.ID
			call.Type += delta.Type
			call.Function.Name += delta.Function.Name
			call.Function.Arguments += delta.Function.Arguments
		}
	}
}

func (a *goApp) run(ctx context.Context, turn turn, call openai.FunctionCall) (string, error) {
	var args struct{ At, Agent, Task string }
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil {
		return "", err
	}
	switch call.Name {
	case "look":
		return "saw " + args.At, nil
	case "delegate":
		child := turn
		child.Name, child.Parent, child.First, child.Prompt = args.Agent, turn.Name, true, args.Task
		text, err := a.turn(ctx, child)
		return args.Agent + " ends with: " + text, err
	}
	return "", fmt.Errorf("the model called %s, which this application does not have", call.Name)
}

var goTools = []openai.Tool{
	{Type: "function", Function: &openai.FunctionDefinition{Name: "look", Description: "Look at a thing.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}`)}},
	{Type: "function", Function: &openai.FunctionDefinition{Name: "delegate", Description: "Hand a task to a new agent.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"agent":{"type":"string"},"task":{"type":"string"}},"required":["agent","task"]}`)}},
}

// identifying sends the headers of a turn; this library has no setting for them.
type identifying turn

func (i identifying) Do(request *http.Request) (*http.Response, error) {
	request.Header.Set("X-Story", i.Name)
	if i.Identified {
		request.Header.Set("X-Agent-Id", i.Name)
	}
	if i.Parent != "" {
		request.Header.Set("X-Agent-Parent-Id", i.Parent)
	}
	return http.DefaultClient.Do(request)
}
