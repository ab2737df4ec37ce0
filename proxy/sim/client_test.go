package sim_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"trunkline/proxy/sim"
)

func dial(t *testing.T, cfg sim.Config) (*sim.Server, *openai.Client, string) {
	t.Helper()
	s := sim.New(cfg)
	hs := httptest.NewServer(s)
	t.Cleanup(hs.Close)
	cc := openai.DefaultConfig("key")
	cc.BaseURL = hs.URL + "/v1"
	return s, openai.NewClientWithConfig(cc), hs.URL
}

func user(text string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: "user", Content: text}
}

// loop runs an agent's tool loop and returns its history, answers included.
func loop(t *testing.T, c *openai.Client, prompt string) []openai.ChatCompletionMessage {
	t.Helper()
	history := []openai.ChatCompletionMessage{user(prompt)}
	for range 10 {
		res, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "m", Messages: history})
		if err != nil {
			t.Fatal(err)
		}
		m := res.Choices[0].Message
		history = append(history, m)
		if len(m.ToolCalls) == 0 {
			if got := res.Choices[0].FinishReason; got != "stop" {
				t.Fatalf("finish = %q, want stop", got)
			}
			return history
		}
		if got := res.Choices[0].FinishReason; got != "tool_calls" {
			t.Fatalf("finish = %q, want tool_calls", got)
		}
		for _, call := range m.ToolCalls {
			history = append(history, openai.ChatCompletionMessage{
				Role: "tool", ToolCallID: call.ID, Content: call.Function.Name + " done",
			})
		}
	}
	t.Fatal("the tool loop did not end")
	return nil
}

func TestClientToolLoop(t *testing.T) {
	_, c, _ := dial(t, sim.Config{})
	h := loop(t, c, "please\ncall pick {\"b\": 2.50, \"a\":\"é\"}\ncall scan {}\nthen call move {\"to\":1}\nthen say finished")
	if n := len(h); n != 7 {
		t.Fatalf("history of %d messages, want 7", n)
	}
	first := h[1].ToolCalls
	if len(first) != 2 || first[0].Function.Arguments != `{"b": 2.50, "a":"é"}` || first[1].Function.Name != "scan" {
		t.Errorf("first answer calls %+v", first)
	}
	if first[0].ID == first[1].ID || first[0].ID == h[4].ToolCalls[0].ID {
		t.Error("call ids repeat")
	}
	if h[6].Content != "finished" {
		t.Errorf("last answer = %q", h[6].Content)
	}
}

func TestClientStream(t *testing.T) {
	_, c, _ := dial(t, sim.Config{})
	st, err := c.CreateChatCompletionStream(context.Background(), openai.ChatCompletionRequest{
		Model: "m", Messages: []openai.ChatCompletionMessage{user("think deep\nsay a longer text than one piece\ncall pick {\"a\":\"one longer than a piece\"}")},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var text, reasoning, args, finish string
	var usage *openai.Usage
	chunks := 0
	for {
		chunk, err := st.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		chunks++
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		for _, ch := range chunk.Choices {
			text += ch.Delta.Content
			reasoning += ch.Delta.ReasoningContent
			for _, call := range ch.Delta.ToolCalls {
				args += call.Function.Arguments
			}
			finish += string(ch.FinishReason)
		}
	}
	if text != "a longer text than one piece" || reasoning != "deep" || args != `{"a":"one longer than a piece"}` || finish != "tool_calls" {
		t.Errorf("text %q, reasoning %q, arguments %q, finish %q", text, reasoning, args, finish)
	}
	if usage == nil || usage.PromptTokens == 0 || usage.PromptTokensDetails == nil {
		t.Errorf("usage = %+v", usage)
	}
	if chunks < 9 {
		t.Errorf("%d chunks: the answer was not streamed in pieces", chunks)
	}
}

func TestClientModels(t *testing.T) {
	_, c, _ := dial(t, sim.Config{Models: []string{"a", "b"}})
	list, err := c.ListModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 2 || list.Models[1].ID != "b" {
		t.Errorf("models = %+v", list.Models)
	}
}
