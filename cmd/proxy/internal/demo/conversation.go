package demo

import (
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/sashabaranov/go-openai"
)

var (
	//go:embed story/system.md
	systemPrompt string
	//go:embed story/tools.json
	toolList []byte
)

// What the people of the story say. The script of the simulated model goes by
// the same texts.
const (
	question  = "If a figure in the table looked wrong to you, which file would you read first, and why?"
	task      = "Read table.go once more. Do its columns stay aligned when the provider did not report a figure?"
	extraTask = `The agent "child" is checking table.go at this moment. Tell it to look also at figures of a million and more.`
	arrived   = "Something has arrived for you. Take it into account, and finish."
	resultAsk = "What has the child found?"
)

// What makes the naive child naive: both stand ahead of the history.
const ownSection = `
# You are a subagent

You were started by another agent to work on one task. When you have finished, call the tool report exactly once with your result; the agent that started you sees nothing else of your work.
`

func ownTool() openai.Tool {
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name:        "report",
		Description: "Report your result to the agent that started you, and end.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"result":{"type":"string","description":"Everything that you found, self-contained."}},"required":["result"],"additionalProperties":false}`),
	}}
}

// clientTools returns the client's own tools.
func clientTools() ([]openai.Tool, error) {
	var tools []openai.Tool
	if err := json.Unmarshal(toolList, &tools); err != nil {
		return nil, fmt.Errorf("tools of the story: %w", err)
	}
	return tools, nil
}

// history is the parent's conversation before its first request here, as a
// client that resumes an earlier session sends it.
func history() []openai.ChatCompletionMessage {
	h := conversation{{Role: openai.ChatMessageRoleSystem, Content: "Session " + rand.Text() + "\n\n" + systemPrompt}}
	h.user("What is in this folder, and where do I begin?")
	h.calls(call{"list_files", `{"path":"."}`}, call{"read_file", `{"path":"doc.go"}`})
	h.assistant("Five files. doc.go is the place to begin: it says what the package promises (every figure is measured in this run) and how the three agents differ. story.go is the order of events, agent.go the client; wire.go watches what the provider gets and reports, table.go prints the figures.")
	h.user("How is the time to the first token measured?")
	h.calls(call{"read_file", `{"path":"agent.go"}`})
	h.assistant("In agent.go, by ask: the clock starts before the request is sent and stops at the first chunk whose delta has content, reasoning or a tool call. Role-only chunks and the response header do not stop it, so it is what a user would see. A stream that carries none of these leaves it at zero.")
	h.user("And where do the cached tokens come from?")
	h.calls(call{"read_file", `{"path":"wire.go"}`}, call{"read_file", `{"path":"table.go"}`})
	h.assistant("From the provider, and only from there. Wire stands between the proxy and the provider and keeps each answer as it passes; usage reads the last report among its events, whatever shape the provider gives it. table.go prints a dash where nothing was reported, so that it cannot be taken for a cold cache.")
	h.user("What does the fork child send that the naive one does not?")
	h.calls(call{"read_file", `{"path":"story.go"}`})
	h.assistant("The other way round: it sends less. By Tell, the fork child sends two headers, its id and its parent's, and one user message, the task; no system prompt, no tools, no history. The naive child sends all of them again, with its own section and its own tool in front of the history.")
	h.user(question)
	return h
}

// conversation is a history under construction.
type conversation []openai.ChatCompletionMessage

// call is a tool's name and its arguments.
type call struct{ name, arguments string }

func (c *conversation) user(text string) {
	*c = append(*c, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: text})
}

func (c *conversation) assistant(text string) {
	*c = append(*c, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: text})
}

// calls adds an answer that calls tools, and their results.
func (c *conversation) calls(calls ...call) {
	answer := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant}
	var results []openai.ChatCompletionMessage
	for i, call := range calls {
		id := fmt.Sprintf("call_%d_%d", len(*c), i)
		answer.ToolCalls = append(answer.ToolCalls, openai.ToolCall{
			ID: id, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: call.name, Arguments: call.arguments},
		})
		results = append(results, openai.ChatCompletionMessage{
			Role: openai.ChatMessageRoleTool, ToolCallID: id, Content: runTool(call.name, call.arguments),
		})
	}
	*c = append(append(*c, answer), results...)
}
