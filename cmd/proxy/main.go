package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"trunkline/cmd/proxy/internal/settings"
)

// commands is the table of what the program can do.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Run the proxy."`
	Demo    demoCommand    `cmd:"" help:"Show what the proxy does; needs nothing."`
	Sim     simCommand     `cmd:"" help:"Run the simulated provider alone."`
	Replay  replayCommand  `cmd:"" help:"Replay recordings and compare every request."`
	Agents  agentsCommand  `cmd:"" help:"Show and steer the agents of a running proxy."`
	Top     topCommand     `cmd:"" help:"Show live what is reused."`
	Explain explainCommand `cmd:"" help:"Say where two requests part, and why."`
	Record  recordCommand  `cmd:"" help:"Work on recordings."`
	Version versionCommand `cmd:"" help:"Print the version of this program."`

	// As most programs take it, too.
	VersionFlag versionFlag `name:"version" help:"Print the version of this program."`
}

// errorWriter is where logs go, apart from what a command prints.
type errorWriter struct{ io.Writer }

func main() {
	// The first signal ends a command in order, the second one at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	parser := kong.Must(&commands{},
		kong.Name("proxy"),
		kong.Description("An OpenAI-compatible proxy that keeps every agent's prompt prefix byte-stable."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(stdout, stderr),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Bind(errorWriter{stderr}, stdinReader{os.Stdin}),
		kong.Vars{"store": defaultStore()},
		settings.New(os.Environ()),
	)
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "proxy: %v\n", err)
		if len(args) == 0 {
			fmt.Fprintln(stderr, `"proxy --help" says what each one does`)
		}
		return 2
	}
	if err := command.Run(); err != nil {
		fmt.Fprintf(stderr, "proxy: %v\n", err)
		if own, ok := errors.AsType[exitError](err); ok {
			return own.code
		}
		return 1
	}
	return 0
}
