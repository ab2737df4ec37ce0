package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/sync/errgroup"

	"trunkline/cmd/proxy/internal/demo"
	"trunkline/cmd/proxy/internal/settings"
	"trunkline/prefix/reuse"
)

type demoCommand struct {
	Once        bool              `help:"Exit after the story."`
	Upstream    *settings.BaseURL `placeholder:"URL" help:"A provider to play it with, in place of the simulated one."`
	UpstreamKey string            `fallback:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"The provider's key ($$OPENAI_API_KEY)."`
	Model       string            `placeholder:"NAME" help:"The provider's model."`
}

// Validate runs after the flags are set; kong reports its error as misuse.
func (d *demoCommand) Validate() error {
	switch {
	case d.Upstream != nil && d.Model == "":
		return errors.New("--upstream: want --model as well, the name of one of the provider's models")
	case d.Upstream == nil && d.Model != "":
		return errors.New("--model: want --upstream as well; the simulated provider has one model")
	}
	return nil
}

// Run starts a provider and a proxy on free ports, plays the story, and serves
// on until ctx ends.
func (d *demoCommand) Run(ctx context.Context, stdout io.Writer, stderr errorWriter) (err error) {
	dir, err := os.MkdirTemp("", "trunkline-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	wire, args := d.provider(listener.Addr())
	serve, err := parseServe(append(args, "--store=file:"+filepath.Join(dir, "agents.db")))
	if err != nil {
		return errors.Join(err, listener.Close())
	}

	group, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	opened := announcement{url: make(chan string, 1)}
	group.Go(func() error { return serveHTTP(ctx, listener, wire, 0, slog.New(slog.DiscardHandler)) })
	serve.BindTo(ctx, (*context.Context)(nil))
	serve.BindTo(&opened, (*io.Writer)(nil))
	serve.Bind(stderr)
	group.Go(func() error { return serve.Run() })
	group.Go(func() error {
		defer stop()
		select {
		case url := <-opened.url:
			return d.show(ctx, demo.NewPage(stdout), wire, url)
		case <-ctx.Done():
			return errInterrupted
		}
	})
	return group.Wait()
}

// errInterrupted ends a demo that did not come to its end.
var errInterrupted = errors.New("the demo was interrupted")

// provider returns the wire to the provider, and the flags of serve for it.
func (d *demoCommand) provider(at net.Addr) (*demo.Wire, []string) {
	if d.Upstream == nil {
		d.Model = demo.SimulatedModel
		return demo.NewWire(demo.Simulated()), []string{"--upstream=http://" + at.String() + "/v1", "--provider=sim"}
	}
	remote := d.Upstream.URL()
	local := *remote
	local.Scheme, local.Host, local.User = "http", at.String(), nil
	return demo.NewWire(demo.Remote(remote)), []string{
		"--upstream=" + local.String(),
		"--upstream-key=" + d.UpstreamKey,
		"--provider=" + reuse.ByURL(remote.String()).Name,
	}
}

// parseServe returns the serve command, ready to run: the same proxy, with its
// defaults, whatever the environment says to other commands.
func parseServe(args []string) (*kong.Context, error) {
	parser, err := kong.New(new(serveCommand), kong.Vars{"store": ""}, settings.New(nil))
	if err != nil {
		return nil, err
	}
	return parser.Parse(append(args, "--listen=127.0.0.1:0", "--drain-timeout=0s", "--log-level=error"))
}

// announcement takes the line in which a server says where it listens.
type announcement struct {
	line []byte
	url  chan string // gets one
}

func (a *announcement) Write(p []byte) (int, error) {
	a.line = append(a.line, p...)
	if line, _, whole := bytes.Cut(a.line, []byte("\n")); whole {
		if url, ok := strings.CutPrefix(string(line), "listening on "); ok {
			a.url <- url
		}
		a.line = nil
	}
	return len(p), nil
}

// show tells the story, and how to go on by oneself.
func (d *demoCommand) show(ctx context.Context, page *demo.Page, wire *demo.Wire, url string) error {
	provider := fmt.Sprintf("simulated; a token that is not in its cache takes it %s", demo.Prefill)
	if d.Upstream != nil {
		provider = d.Upstream.Redacted() + ", model " + d.Model
	}
	page.Printf("%s\n\n", page.Bold("trunkline demo: one conversation, handed to a child in two ways"))
	page.Printf("  proxy      %s/v1\n", url)
	page.Printf("  page       %s/\n", url)
	if has(ctx, url+"/metrics") {
		page.Printf("  metrics    %s/metrics\n", url)
	}
	page.Printf("  provider   %s\n\n", provider)

	story := demo.Story{Page: page, Base: url + "/v1", Wire: wire, Model: d.Model}
	if err := story.Tell(ctx); err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return err
	}
	if d.Once {
		return page.Err()
	}

	page.Printf("\n%s\n\n", page.Bold("Your turn: point a client here (Ctrl-C ends it; nothing is kept)"))
	key := " OPENAI_API_KEY=none"
	if d.Upstream != nil {
		key = "" // what the client sends goes to the provider
	}
	page.Printf("  export OPENAI_BASE_URL=%s/v1%s\n", url, key)
	page.Printf("\n  or fork the parent of the story once more, and see what its usage says:\n\n")
	page.Printf("  curl %s/v1/chat/completions -H 'Content-Type: application/json' \\\n"+
		"    -H 'X-Agent-Id: mine' -H 'X-Agent-Parent-Id: parent' \\\n"+
		"    -d '{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"say hello\"}]}'\n", url, d.Model)
	page.Printf("\n  What is reused shows on the page, or in a terminal:\n\n  proxy top --proxy=%s\n", url)
	if err := page.Err(); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// has tells whether something is served at a URL.
func has(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
