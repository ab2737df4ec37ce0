package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"trunkline/proxy/api"
)

type agentsShow struct {
	ID string `arg:"" help:"The agent."`
}

// Run prints the agent's state, and what its last request reused.
func (s *agentsShow) Run(ctx context.Context, of *agentsCommand, stdout io.Writer) error {
	var raw, explained json.RawMessage
	if err := of.client().do(ctx, "GET", agentPath(s.ID), nil, nil, &raw); err != nil {
		return err
	}
	var refused *refusedCall
	err := of.client().do(ctx, "GET", agentPath(s.ID, "prefix"), nil, nil, &explained)
	if err != nil && !(errors.As(err, &refused) && refused.status == 404) {
		return err
	}
	if of.JSON {
		return printJSON(stdout, struct {
			Agent  json.RawMessage `json:"agent"`
			Prefix json.RawMessage `json:"prefix"` // null: nothing was measured
		}{raw, explained})
	}
	var a api.State
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	rows := stateRows(a, time.Now())
	if explained != nil {
		more, err := prefixRows(explained)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	if _, err := io.WriteString(stdout, columns(rows)); err != nil || a.Closing == "" {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\n%s\n", printable(string(a.Closing)))
	return err
}

func stateRows(a api.State, now time.Time) [][]string {
	what := []string{string(a.Mode)}
	if a.Parent != "" {
		what = append(what, "of "+string(a.Parent)+", in the tree of "+a.Root)
	}
	rows := [][]string{{"agent", a.ID}}
	if a.Label != "" {
		rows = append(rows, []string{"label", oneLine(a.Label)})
	}
	rows = append(rows, [][]string{
		{"is", strings.Join(append(what, fmt.Sprintf("(%s, driven by %s)", a.Kind, a.Driver)), " ")},
		{"status", fmt.Sprintf("%s, activation %d, turn %d", a.Status, a.Epoch, a.Turn)},
		{"inbox", fmt.Sprintf("%d waiting", a.Inbox.NextStep+a.Inbox.NextTurn)},
		{"created", age(a.Created, now) + " ago"},
		{"seen", age(a.Active, now) + " ago"},
	}...)
	if a.Outcome != "" {
		rows = append(rows, []string{"last turn", string(a.Outcome)})
	}
	return rows
}

// prefixRows renders the account of the last request.
func prefixRows(raw json.RawMessage) ([][]string, error) {
	var p struct {
		Relation string `json:"relation"`
		Model    string `json:"model"`
		Failed   string `json:"failed"`
		Total    int64  `json:"total_bytes"`
		Shared   int64  `json:"shared_bytes"`
		Break    struct {
			Cause   string `json:"cause"`
			Name    string `json:"name"`
			Path    string `json:"path"`
			Within  int64  `json:"within_bytes"`
			Changed int64  `json:"changed_bytes"`
		} `json:"break"`
		Tokens *struct {
			Prompt   int64  `json:"prompt"`
			Expected int64  `json:"expected"`
			Reported *int64 `json:"reported"`
		} `json:"tokens"`
		Losses []struct {
			Cause  string `json:"cause"`
			Tokens int64  `json:"tokens"`
		} `json:"losses"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	last := p.Relation + ", model " + p.Model
	if p.Failed != "" {
		last += ", failed: " + p.Failed
	}
	rows := [][]string{
		{"last request", oneLine(last)},
		{"shared", fmt.Sprintf("%d of %d bytes", p.Shared, p.Total)},
	}
	if b := p.Break; b.Cause == "cold_start" {
		rows = append(rows, []string{"cause", oneLine(strings.TrimSpace(b.Cause + " " + b.Name))})
	} else if b.Cause != "none" {
		broke := b.Cause
		if b.Path != "" {
			broke += " in " + b.Path
		}
		if b.Name != "" && b.Name != b.Path {
			broke += ": " + b.Name
		}
		if b.Changed > 0 {
			broke += fmt.Sprintf(", %d bytes from its byte %d on", b.Changed, b.Within)
		}
		rows = append(rows, []string{"break", oneLine(broke)})
	}
	if t := p.Tokens; t != nil {
		reported := "the provider did not say what it read from its cache"
		if t.Reported != nil {
			reported = fmt.Sprintf("%d read from the provider's cache", *t.Reported)
		}
		rows = append(rows, []string{"tokens", fmt.Sprintf("%d in the prompt, %d expected in the cache, %s", t.Prompt, t.Expected, reported)})
	}
	for _, l := range p.Losses {
		rows = append(rows, []string{"lost", fmt.Sprintf("%d tokens: %s", l.Tokens, l.Cause)})
	}
	return rows, nil
}
