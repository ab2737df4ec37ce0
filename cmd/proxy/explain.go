package main

import (
	"encoding/json"
	"fmt"
	"io"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
	"trunkline/proxy/record"
)

type explainCommand struct {
	First  string `arg:"" name:"a" help:"The earlier request: a file with its body, or FILE:LINE or FILE:LINE/N of a recording."`
	Second string `arg:"" name:"b" help:"The later one."`

	Provider string `default:"generic" placeholder:"NAME" help:"Profile that says in which order a prompt is rendered."`
	Kind     string `enum:"auto,chat,responses,messages" default:"auto" placeholder:"KIND" help:"Shape of the bodies: ${enum}."`
	JSON     bool   `name:"json" help:"Print JSON."`
}

// Run says where the second request leaves the first, and why.
func (c *explainCommand) Run(stdout io.Writer) error {
	provider, err := reuse.Lookup(c.Provider)
	if err != nil {
		return misuse(fmt.Errorf("--provider: %w", err))
	}
	was, kind, err := record.LoadBody(c.First)
	if err != nil {
		return misuse(err)
	}
	now, other, err := record.LoadBody(c.Second)
	if err != nil {
		return misuse(err)
	}
	switch c.Kind {
	case "auto":
		kind = max(kind, other) // a file with a body alone counts as chat
	case "chat":
		kind = prefix.Chat
	case "responses":
		kind = prefix.Responses
	case "messages":
		kind = prefix.Messages
	}
	x, err := record.Explain(provider, kind, was, now)
	if err != nil {
		return misuse(err)
	}
	if !c.JSON {
		return x.Print(stdout)
	}
	out := json.NewEncoder(stdout)
	out.SetIndent("", "  ")
	return out.Encode(x)
}
