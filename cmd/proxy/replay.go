package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"trunkline/cmd/proxy/internal/settings"
	"trunkline/prefix/reuse"
	"trunkline/proxy/record"
)

type replayCommand struct {
	Paths []string `arg:"" name:"path" help:"Recordings, or directories of *.jsonl files."`

	Provider string        `group:"Settings of the proxy (as recorded)" placeholder:"NAME" help:"Another profile."`
	Tools    []string      `group:"Settings of the proxy (as recorded)" enum:"send_message,interrupt_agent,list_agents,none" placeholder:"NAME" help:"Other tools to add, or none."`
	Repair   *bool         `group:"Settings of the proxy (as recorded)" negatable:"" help:"Send pinned bytes where new ones mean the same."`
	Stall    time.Duration `default:"30s" help:"Longest wait for what is recorded and does not come."`

	JSON   bool `name:"json" help:"Print one JSON object for each session."`
	Update bool `help:"Make what is sent now the recorded requests, and show the differences."`

	Against     settings.BaseURL `placeholder:"URL" help:"Also send every request to this provider and compare what it reports."`
	UpstreamKey string           `fallback:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"For --against ($$OPENAI_API_KEY)."`
}

// Validate runs after the flags are set; kong reports its error as misuse.
func (c *replayCommand) Validate() error {
	if c.Provider != "" {
		if _, err := reuse.Lookup(c.Provider); err != nil {
			return fmt.Errorf("--provider: %w", err)
		}
	}
	return nil
}

// errDiffers is the end of a replay that sent other bytes than the recording holds.
var errDiffers = errors.New("the replay differs from the recording; where that is meant, --update makes it the recorded one")

// Run replays every session, each through a proxy of its own.
func (c *replayCommand) Run(ctx context.Context, stdout io.Writer) error {
	sessions, err := record.Load(c.Paths...)
	if err != nil {
		return misuse(err)
	}
	options := record.Options{Adjust: c.adjust, Stall: c.Stall}
	if u := c.Against.URL(); u.Host != "" {
		options.Ask = record.Asker(u.String(), c.UpstreamKey)
		options.Stall = max(options.Stall, 10*time.Minute)
	}
	differs := false
	for i, s := range sessions {
		report, err := s.Replay(ctx, options)
		if err != nil {
			return misuse(err)
		}
		if i > 0 && !c.JSON {
			fmt.Fprintln(stdout)
		}
		if err := c.print(stdout, report); err != nil {
			return misuse(err)
		}
		if n, first := report.Unanswered(); n > 0 && n == len(report.Requests) {
			return misuse(fmt.Errorf("--against: %s answered no request: %s", c.Against.Redacted(), first))
		}
		if len(report.Differences) == 0 {
			continue
		}
		if !c.Update {
			differs = true
			continue
		}
		if err := errors.Join(report.Update(), s.Save()); err != nil {
			return misuse(err)
		}
	}
	if differs {
		return errDiffers
	}
	return nil
}

func (c *replayCommand) print(w io.Writer, r *record.Report) error {
	if c.JSON {
		return json.NewEncoder(w).Encode(r)
	}
	if err := r.Print(w); err != nil || !c.Update {
		return err
	}
	for _, d := range r.Differences {
		fmt.Fprintf(w, "\nupdated: %s", d)
	}
	return nil
}

// adjust replays under other settings than the recorded ones.
func (c *replayCommand) adjust(s *record.Settings) {
	if c.Provider != "" {
		s.Provider = c.Provider
	}
	if len(c.Tools) > 0 {
		s.Tools = []string{}
		for _, name := range c.Tools {
			if name != "none" {
				s.Tools = append(s.Tools, name)
			}
		}
	}
	if c.Repair != nil {
		s.NoRepair = !*c.Repair
	}
}
