package main

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
)

// openaiGo talks through github.com/openai/openai-go, streamed.
type openaiGo struct {
	client openai.Client
	said   openai.ChatCompletionNewParams
}

func beginOpenAIGo(t turn) conversation {
	c := &openaiGo{client: officialClientOf(t.headers())}
	c.said.Model = "your-model"
	c.said.Messages = []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(t.System)}
	for _, d := range definitions {
		c.said.Tools = append(c.said.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: d.name, Description: openai.String(d.description), Parameters: d.parameters(),
		}))
	}
	return c
}

func (c *openaiGo) ask(ctx context.Context, prompt string, run func(name, arguments string) (string, error)) (string, error) {
	c.said.Messages = append(c.said.Messages, openai.UserMessage(prompt))
	for {
		var whole openai.ChatCompletionAccumulator
		stream := c.client.Chat.Completions.NewStreaming(ctx, c.said)
		for stream.Next() {
			if !whole.AddChunk(stream.Current()) {
				return "", errors.New("an event does not belong to the answer before it")
			}
		}
		if err := stream.Err(); err != nil {
			return "", err
		}
		if len(whole.Choices) == 0 || whole.Choices[0].FinishReason == "" {
			return "", errors.New("the stream ended without a finish")
		}
		message := whole.Choices[0].Message
		c.said.Messages = append(c.said.Messages, message.ToParam())
		if len(message.ToolCalls) == 0 {
			return message.Content, nil
		}
		for _, call := range message.ToolCalls {
			content, err := run(call.Function.Name, call.Function.Arguments)
			if err != nil {
				return "", err
			}
			c.said.Messages = append(c.said.Messages, openai.ToolMessage(content, call.ID))
		}
	}
}
