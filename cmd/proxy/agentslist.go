package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trunkline/proxy/api"
)

type agentsList struct {
	ID string `arg:"" optional:"" help:"Only what is below this agent."`
}

// listedAgent is an agent of a list, or what is wrong with its record.
type listedAgent struct {
	api.State
	Diagnostic string `json:"diagnostic"`
}

// Run prints all agents as a tree.
func (l *agentsList) Run(ctx context.Context, of *agentsCommand, stdout io.Writer) error {
	var all []json.RawMessage
	query := url.Values{"limit": {"1000"}}
	if l.ID != "" {
		query.Set("parent", l.ID)
	}
	for more := true; more; {
		var page struct {
			Data []json.RawMessage `json:"data"`
			Next string            `json:"next_cursor"`
		}
		if err := of.client().do(ctx, "GET", "agents", query, nil, &page); err != nil {
			return err
		}
		all = append(all, page.Data...)
		query.Set("cursor", page.Next)
		more = page.Next != ""
	}
	if of.JSON {
		for _, raw := range all {
			if err := printJSON(stdout, raw); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(stdout, of.nobody(l.ID))
		return err
	}
	agents := make([]listedAgent, len(all))
	for i, raw := range all {
		if err := json.Unmarshal(raw, &agents[i]); err != nil {
			return err
		}
	}
	_, err := io.WriteString(stdout, columns(treeRows(agents, time.Now())))
	return err
}

// nobody says why a list may be empty that a person expected not to be.
func (c *agentsCommand) nobody(below string) string {
	switch {
	case below != "":
		return "(no agents below " + printable(below) + ")"
	case c.Key != "":
		return "(no agents of the clients that use this key; --key= shows those of clients that use none)"
	}
	return "(no agents of clients that use no key; --key shows those of one)"
}

// treeRows renders agents in pre-order, each below its parent.
func treeRows(agents []listedAgent, now time.Time) [][]string {
	depth := map[string]int{}
	last := lastOfSiblings(agents)
	rails := []string{} // what stands before a row, for each depth
	rows := [][]string{{"AGENT", "STATUS", "AGE", "SEEN", "TURN", "INBOX", "REUSE", "LABEL"}}
	for _, a := range agents {
		if a.Diagnostic != "" {
			rows = append(rows, []string{a.ID, "unreadable", "", "", "", "", "", a.Diagnostic})
			continue
		}
		d, below := depth[string(a.Parent)]
		depth[a.ID] = d + 1
		name := a.ID
		if below {
			for len(rails) < d {
				rails = append(rails, "")
			}
			rails = rails[:d]
			branch, rail := "├─ ", "│  "
			if last[a.ID] {
				branch, rail = "└─ ", "   "
			}
			name = strings.Join(rails[1:], "") + branch + a.ID
			rails = append(rails, rail)
		}
		label := oneLine(a.Label)
		if a.Kind == "one-shot" {
			label = "(one-shot) " + label
		}
		rows = append(rows, []string{
			name, string(a.Status), age(a.Created, now), age(a.Active, now), strconv.FormatUint(a.Turn, 10),
			strconv.Itoa(a.Inbox.NextStep + a.Inbox.NextTurn), reused(a.State), label,
		})
	}
	return rows
}

// lastOfSiblings returns the agents that no sibling follows.
func lastOfSiblings(agents []listedAgent) map[string]bool {
	latest := map[string]string{} // parent → its last child
	for _, a := range agents {
		latest[string(a.Parent)] = a.ID
	}
	last := map[string]bool{}
	for _, id := range latest {
		last[id] = true
	}
	return last
}

// reused is how much of the last prompt the provider had in its cache.
func reused(a api.State) string {
	switch r := a.Reuse; {
	case r == nil:
		return "–"
	case !r.Cached.Known || r.Prompt == 0:
		return "?"
	default:
		return fmt.Sprintf("%d %%", 100*r.Cached.N/r.Prompt)
	}
}
