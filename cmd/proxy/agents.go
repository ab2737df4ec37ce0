package main

import (
	"context"
	"io"
	"net/url"
	"strings"

	"trunkline/cmd/proxy/internal/settings"
)

// agentsCommand shows and steers the agents of a running proxy.
type agentsCommand struct {
	Proxy settings.BaseURL `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The proxy to ask (${default})."`
	Key   string           `fallback:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"The key that the agents' clients use ($$OPENAI_API_KEY)."`
	JSON  bool             `name:"json" help:"Print JSON, one value a line."`

	List       agentsList       `cmd:"" default:"withargs" help:"Show the tree of agents (the default)."`
	Show       agentsShow       `cmd:"" help:"Show one agent, and what its last request reused."`
	Send       agentsSend       `cmd:"" help:"Send a message as one agent to another."`
	Prompt     agentsPrompt     `cmd:"" help:"Give a hosted agent a prompt (this version has none)."`
	Interrupt  agentsInterrupt  `cmd:"" help:"Stop the open turn of an agent."`
	Delete     agentsDelete     `cmd:"" help:"End an agent and all below it."`
	Watch      agentsWatch      `cmd:"" help:"Follow what happens to an agent."`
	Transcript agentsTranscript `cmd:"" help:"Show what stands in an agent's prompt."`
}

// agentPath is the path of a call about one agent.
func agentPath(id string, call ...string) string {
	return strings.Join(append([]string{"agents", url.PathEscape(id)}, call...), "/")
}

type agentsSend struct {
	From    string `required:"" placeholder:"ID" help:"The agent to send as."`
	ID      string `arg:"" help:"The agent to send to."`
	Message string `arg:"" help:"The text; - reads it from standard input."`
}

// Run sends the message once.
func (s *agentsSend) Run(ctx context.Context, to *agentsCommand, stdin stdinReader, stdout io.Writer) error {
	text, err := stdin.text(s.Message)
	if err != nil {
		return err
	}
	return to.act(ctx, stdout, agentPath(s.ID, "messages"), map[string]string{"from": s.From, "message": text})
}

type agentsPrompt struct {
	ID      string `arg:"" help:"The agent."`
	Content string `arg:"" help:"The text; - reads it from standard input."`
}

// Run queues the prompt.
func (p *agentsPrompt) Run(ctx context.Context, to *agentsCommand, stdin stdinReader, stdout io.Writer) error {
	text, err := stdin.text(p.Content)
	if err != nil {
		return err
	}
	return to.act(ctx, stdout, agentPath(p.ID, "prompts"), map[string]string{"content": text})
}

type agentsInterrupt struct {
	ID string `arg:"" help:"The agent."`
}

// Run asks the turn to stop.
func (i *agentsInterrupt) Run(ctx context.Context, to *agentsCommand, stdout io.Writer) error {
	return to.act(ctx, stdout, agentPath(i.ID, "interrupt"), struct{}{})
}

type agentsDelete struct {
	ID string `arg:"" help:"The agent."`
}

// Run deletes. What is not there is deleted already, so that a script may run twice.
func (d *agentsDelete) Run(ctx context.Context, to *agentsCommand) error {
	return to.client().do(ctx, "DELETE", agentPath(d.ID), nil, nil, nil)
}

// act makes a call that does something, and prints what came of it.
func (c *agentsCommand) act(ctx context.Context, stdout io.Writer, path string, body any) error {
	var result struct {
		ID     string `json:"message_id,omitempty"`
		Result string `json:"result"`
	}
	if err := c.client().do(ctx, "POST", path, nil, body, &result); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(stdout, result)
	}
	_, err := io.WriteString(stdout, printable(result.Result)+"\n")
	return err
}
