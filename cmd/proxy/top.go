package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"trunkline/cmd/proxy/internal/settings"
	"trunkline/cmd/proxy/internal/top"
	"trunkline/proxy/api"
)

type topCommand struct {
	Proxy settings.BaseURL `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The proxy to look at (${default})."`
	Key   string           `fallback:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"Key with the scope admin, where the proxy asks for keys ($$OPENAI_API_KEY)."`
	Every time.Duration    `default:"1s" help:"How often to look."`
	Once  bool             `help:"Draw one picture and exit."`
}

// maxTop is how many requests a picture counts.
const maxTop = 512

// minEvery keeps a look from being a load.
const minEvery = 100 * time.Millisecond

// Validate runs after the flags are set; kong reports its error as misuse.
func (c *topCommand) Validate() error { return bound{"every", c.Every, minEvery}.check() }

// Run draws until ctx ends. A proxy that does not answer at first is an error; one that
// stops answering is waited for.
func (c *topCommand) Run(ctx context.Context, stdout io.Writer) error {
	terminal := terminalOf(stdout)
	var all api.Status
	after := uint64(0)
	for first := true; ; first = false {
		st, err := c.look(ctx, after)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || c.Once):
			return err
		case err == nil:
			all.Provider, all.Agents = st.Provider, st.Agents
			all.Requests = append(all.Requests, st.Requests...)
			all.Requests = all.Requests[max(0, len(all.Requests)-maxTop):]
			if n := len(all.Requests); n > 0 {
				after = all.Requests[n-1].Seq
			}
		}
		screen := top.Screen{Color: terminal.color(), Zone: time.Local}
		screen.Width, screen.Height = terminal.size()
		if c.Once {
			screen.Height = 40 // it may scroll
		}
		var notice []string
		if err != nil {
			notice = []string{"", err.Error()}
		}
		screen.Height -= len(notice)
		if err := terminal.draw(append(screen.Draw(all), notice...), !c.Once); err != nil {
			return err
		}
		if c.Once {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.Every):
		}
	}
}

// look asks the proxy for what is new.
func (c *topCommand) look(ctx context.Context, after uint64) (st api.Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	query := url.Values{"after": {fmt.Sprint(after)}}
	return st, agentsClient{c.Proxy, c.Key}.do(ctx, http.MethodGet, "status", query, nil, &st)
}
