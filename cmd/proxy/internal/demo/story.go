package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Story is what to play, and where.
type Story struct {
	Page  *Page
	Base  string // where clients reach the proxy, with /v1
	Wire  *Wire  // what the proxy has for a provider
	Model string
}

// Tell plays the story. An error says which step could not be made.
func (s *Story) Tell(ctx context.Context) error {
	tools, err := clientTools()
	if err != nil {
		return err
	}

	parent := newAgent(s.Base, s.Model, "parent", "")
	parent.tools, parent.messages = tools, history()
	first, err := s.measure(ctx, "parent, first request", parent)
	if err != nil {
		return err
	}
	if err := parent.finish(ctx); err != nil { // only a completed turn is inherited
		return fmt.Errorf("the parent's first turn: %w", err)
	}

	child := newAgent(s.Base, s.Model, "child", "parent")
	child.say(task)
	fork, err := s.measure(ctx, "fork child", child)
	if err != nil {
		return err
	}

	naive := newAgent(s.Base, s.Model, "", "")
	naive.tools, naive.messages = append(slices.Clip(tools), ownTool()), slices.Clone(parent.messages)
	naive.messages[0].Content += ownSection
	naive.say(task)
	copied, err := s.measure(ctx, "naive child", naive)
	if err != nil {
		return err
	}
	s.table(first, fork, copied)

	s.Page.Printf("\n%s\n\n", s.Page.Bold("Messages between the parent and its fork"))
	if err := s.step("the parent tells the child more", func() error { return parent.turn(ctx, extraTask) }); err != nil {
		return err
	}
	if err := s.step("the child reads it, reports, and ends", func() error { return goOn(ctx, child) }); err != nil {
		return err
	}
	if err := s.step("the parent is asked for the result", func() error { return parent.turn(ctx, resultAsk) }); err != nil {
		return err
	}
	s.message("parent", "child")
	s.message("child", "parent")
	s.settlement(parent)
	return s.Page.Err()
}

// goOn ends the child's turn. If its model has already done so, a prompt opens
// another one for what has arrived since.
func goOn(ctx context.Context, child *agent) error {
	if len(child.answer().ToolCalls) == 0 {
		return child.turn(ctx, arrived)
	}
	return child.finish(ctx)
}

// step does one step, and shows that it does.
func (s *Story) step(name string, do func() error) error {
	s.Page.Printf("  %s %s …", s.Page.Dim("→"), name)
	start := time.Now()
	if err := do(); err != nil {
		s.Page.Printf(" %s\n", s.Page.Red("failed"))
		return fmt.Errorf("%s: %w", name, err)
	}
	s.Page.Printf(" %s\n", s.Page.Dim(latency(time.Since(start))))
	return nil
}

// measure makes an agent's next request and takes its figures: the client's
// clock, and what was reported for the first provider request behind it.
func (s *Story) measure(ctx context.Context, name string, a *agent) (r row, err error) {
	r.name = name
	n := s.Wire.count()
	err = s.step(name, func() error { r.first, err = a.ask(ctx); return err })
	r.usage = s.Wire.usage(n)
	return r, err
}

// table prints the rows and what they come to.
func (s *Story) table(parent, child, naive row) {
	lines := align([][]string{header(), parent.cells(), child.cells(), naive.cells()})
	p := s.Page
	p.Printf("\n  %s\n  %s\n", p.Bold(lines[0]), p.Dim(strings.Repeat("─", utf8.RuneCountInString(lines[0]))))
	p.Printf("  %s\n  %s\n  %s\n\n", lines[1], p.Green(lines[2]), p.Red(lines[3]))

	fork, copied := child.uncached(), naive.uncached()
	if !fork.Known || !copied.Known {
		p.paragraph("The provider did not report what it took from its cache (" + unreported + ").")
		return
	}
	against := fmt.Sprintf("%s tokens against %s", figure(copied), figure(fork))
	if fork.N > 0 && copied.N > fork.N {
		against += ", " + ratio(copied.N, fork.N) + " times as many"
	}
	p.paragraph("Both children have the same history and the same task. The naive one has one tool and one section of " +
		"the system prompt of its own. They stand ahead of the history, so all that is behind them is computed again: " +
		against + ".")
}

func ratio(a, b int64) string {
	if r := float64(a) / float64(b); r < 10 {
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%d", (a+b/2)/b)
}

// message prints the latest message from one agent to another: as one model
// sent it and as the other one read it.
func (s *Story) message(from, to string) {
	p := s.Page
	p.Printf("\n  %s\n", p.Bold(from+" → "+to))
	arguments, result, ok := s.Wire.sent(to)
	if !ok {
		p.field(from+"'s model", "did not call send_message this time")
		return
	}
	p.field(from+" calls", "send_message "+arguments)
	p.field("and is told", result)
	s.reads(to, "Agent "+from+" sent a message:")
}

// settlement prints how the parent learns that its child has ended.
func (s *Story) settlement(parent *agent) {
	s.Page.Printf("\n  %s\n", s.Page.Bold("the child has settled"))
	s.reads("parent", "Agent child settled: ")
	s.Page.field("parent answers", parent.answer().Content)
}

func (s *Story) reads(who, opening string) {
	text, ok := s.Wire.read(opening)
	if !ok {
		text = "(nothing yet)"
	}
	s.Page.field(who+" reads", text)
}
