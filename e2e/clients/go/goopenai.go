package main

import (
	"context"
	"errors"
	"io"

	"github.com/sashabaranov/go-openai"
)

// goOpenAI talks through github.com/sashabaranov/go-openai, streamed.
type goOpenAI struct {
	client *openai.Client
	said   openai.ChatCompletionRequest
}

func beginGoOpenAI(t turn) conversation {
	c := &goOpenAI{client: clientOf(t.headers())}
	c.said.Model = "your-model"
	c.said.Messages = []openai.ChatCompletionMessage{{Role: "system", Content: t.System}}
	for _, d := range definitions {
		c.said.Tools = append(c.said.Tools, openai.Tool{Type: "function", Function: &openai.FunctionDefinition{
			Name: d.name, Description: d.description, Parameters: d.parameters(),
		}})
	}
	return c
}

func (c *goOpenAI) ask(ctx context.Context, prompt string, run func(name, arguments string) (string, error)) (string, error) {
	c.said.Messages = append(c.said.Messages, openai.ChatCompletionMessage{Role: "user", Content: prompt})
	for {
		message, err := c.answer(ctx)
		if err != nil {
			return "", err
		}
		c.said.Messages = append(c.said.Messages, message)
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		for _, call := range message.ToolCalls {
			content, err := run(call.Function.Name, call.Function.Arguments)
			if err != nil {
				return "", err
			}
			c.said.Messages = append(c.said.Messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: call.ID, Content: content})
		}
	}
}

// answer adds up a stream by hand, as this library's users do.
func (c *goOpenAI) answer(ctx context.Context) (message openai.ChatCompletionMessage, err error) {
	stream, err := c.client.CreateChatCompletionStream(ctx, c.said)
	if err != nil {
		return message, err
	}
	defer stream.Close()
	var finish openai.FinishReason
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if finish == "" {
				return message, errors.New("the stream ended without a finish")
			}
			return message, nil
		} else if err != nil {
			return message, err
		}
		choice := chunk.Choices[0] // an event without one crashes such users
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
