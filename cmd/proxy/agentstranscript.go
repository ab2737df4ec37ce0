package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"trunkline/prefix"
)

type agentsTranscript struct {
	ID string `arg:"" help:"The agent."`
}

// transcriptItem is one message of a prompt.
type transcriptItem struct {
	Index     int             `json:"index"`
	Origin    string          `json:"origin"`
	Inherited bool            `json:"inherited"`
	Item      json.RawMessage `json:"item"`
}

// Run prints the messages of the prompt, each with who put it there.
func (t *agentsTranscript) Run(ctx context.Context, of *agentsCommand, stdout io.Writer) error {
	query := url.Values{"limit": {"1000"}}
	for more := true; more; {
		var page struct {
			Data []json.RawMessage `json:"data"`
			Next string            `json:"next_cursor"`
		}
		if err := of.client().do(ctx, "GET", agentPath(t.ID, "transcript"), query, nil, &page); err != nil {
			return err
		}
		for _, raw := range page.Data {
			if err := of.printItem(stdout, raw); err != nil {
				return err
			}
		}
		query.Set("cursor", page.Next)
		more = page.Next != ""
	}
	return nil
}

func (c *agentsCommand) printItem(w io.Writer, raw json.RawMessage) error {
	if c.JSON {
		return printJSON(w, raw)
	}
	var item transcriptItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return err
	}
	origin := item.Origin
	if item.Inherited {
		origin += ", inherited"
	}
	var text strings.Builder
	for line := range strings.Lines(itemText(item.Item)) {
		text.WriteString("    " + line)
	}
	_, err := fmt.Fprintf(w, "%d  %s  (%s)\n%s\n", item.Index, prefix.ItemOf(item.Item).Role, origin, text.String())
	return err
}

// itemText is what a person reads of a message: its text and its calls.
func itemText(item json.RawMessage) string {
	text := printable(prefix.ContentText(item))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var calls struct {
		Calls []struct {
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if json.Unmarshal(item, &calls) == nil {
		for _, c := range calls.Calls {
			text += oneLine(c.Function.Name+"("+c.Function.Arguments+")") + "\n"
		}
	}
	return text
}
