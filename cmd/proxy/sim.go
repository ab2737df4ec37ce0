package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"trunkline/proxy/sim"
)

type simCommand struct {
	Listen listenAddress `default:"127.0.0.1:8090" help:"Address to serve on."`
	Base   string        `default:"/v1" help:"Path that the API is served under."`

	Dialect     sim.Dialect `group:"Usage reports" enum:"openai,deepseek,flat,anthropic,llamacpp,none" default:"openai" help:"Shape of the report: ${enum}."`
	UsageAlways bool        `group:"Usage reports" help:"Report usage in every stream, asked for or not."`

	Order           sim.Order       `group:"Engine" enum:"system-first,tools-first" default:"system-first" help:"Order of the rendered prompt: ${enum}."`
	Breakpoints     sim.Breakpoints `group:"Engine" enum:"none,explicit,implicit" default:"none" help:"Where the cache can be entered: ${enum}."`
	Lenient         bool            `group:"Engine" help:"Accept calls without results and results without calls."`
	CacheBlocks     int             `group:"Engine" default:"65536" help:"Size of each replica's cache, in blocks of 16 tokens."`
	Replicas        int             `group:"Engine" default:"1" help:"Number of separate caches."`
	PrefillPerToken time.Duration   `group:"Engine" default:"0s" help:"Time that each uncached prompt token takes."`
	EventDelay      time.Duration   `group:"Engine" default:"0s" help:"Time before each streamed event but the first."`
}

// Help is how its model is told what to do.
func (s *simCommand) Help() string {
	return `Its model does what the lines of the last message say, and repeats other texts: "say hello" answers, ` +
		`"call NAME {json}" calls a tool, and a line that begins with "then " is the next step of the turn.`
}

// Validate runs after the flags are set; kong reports its error as misuse.
func (s *simCommand) Validate() error {
	switch {
	case !strings.HasPrefix(s.Base, "/"):
		return errors.New("--base: want a path that begins with /")
	case s.CacheBlocks < 1:
		return errors.New("--cache-blocks: want at least 1")
	case s.Replicas < 1:
		return errors.New("--replicas: want at least 1")
	}
	return cmp.Or(bound{"prefill-per-token", s.PrefillPerToken, 0}.check(), bound{"event-delay", s.EventDelay, 0}.check())
}

// Run serves until ctx ends.
func (s *simCommand) Run(ctx context.Context, stdout io.Writer) error {
	listener, err := s.Listen.open(ctx, stdout)
	if err != nil {
		return err
	}
	return sim.New(sim.Config{
		Base:            s.Base,
		Dialect:         s.Dialect,
		UsageAlways:     s.UsageAlways,
		Order:           s.Order,
		Breakpoints:     s.Breakpoints,
		Lenient:         s.Lenient,
		CacheBlocks:     s.CacheBlocks,
		Replicas:        s.Replicas,
		PrefillPerToken: s.PrefillPerToken,
		EventDelay:      s.EventDelay,
	}).Serve(ctx, listener)
}
