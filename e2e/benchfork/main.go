package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// prefill is the time that the simulated provider takes for a token: fifty thousand a second.
const prefill = 20 * time.Microsecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "benchfork:", err)
		}
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	proxy    string // path of the program
	upstream string // "" is the simulated provider
	provider string
	model    string
	sizes    []int // tokens of the parents' conversations
	children []int
	seed     string
	out      string // directory; "" writes the page alone, to standard output
}

func parse(args []string, stderr io.Writer) (s settings, err error) {
	flags := flag.NewFlagSet("benchfork", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.proxy, "proxy", "bin/proxy", "`path` of the program")
	flags.StringVar(&s.upstream, "upstream", "", "base `URL` of a provider; $OPENAI_API_KEY is its key (the simulated provider)")
	flags.StringVar(&s.provider, "provider", "", "the provider's profile, as serve takes it (by URL)")
	flags.StringVar(&s.model, "model", "sim-1", "`name` of the model")
	flags.StringVar(&s.seed, "seed", "", "`text` that makes prompts new to a provider that knows those of an earlier run")
	flags.StringVar(&s.out, "out", "", "`directory` for fork-benchmark.md and .svg (the page alone, to standard output)")
	sizes := flags.String("sizes", "8k,32k,128k", "`tokens` of the parents, about")
	children := flags.String("children", "1,4,16", "`numbers` of children sent together")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if s.sizes, err = numbers(*sizes); err != nil {
		return s, fmt.Errorf("-sizes: %w", err)
	}
	if s.children, err = numbers(*children); err != nil {
		return s, fmt.Errorf("-children: %w", err)
	}
	return s, nil
}

// numbers reads a list such as "8k,500".
func numbers(list string) (out []int, err error) {
	for one := range strings.SplitSeq(list, ",") {
		digits, thousand := strings.CutSuffix(strings.TrimSpace(one), "k")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of 1 or more", one)
		}
		if thousand {
			n *= 1000
		}
		out = append(out, n)
	}
	return out, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if s.out != "" {
		if err := os.MkdirAll(s.out, 0o755); err != nil {
			return err
		}
	}
	url, stop, err := serve(ctx, s, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	cells, err := s.measure(ctx, url, stderr)
	if err != nil {
		return err
	}
	if s.out == "" {
		return page(stdout, s, cells)
	}
	return write(s, cells)
}

// measure fills the table's cells, and tells of each.
func (s settings) measure(ctx context.Context, url string, stderr io.Writer) (cells []cell, err error) {
	for _, size := range s.sizes {
		for _, children := range s.children {
			for _, kind := range kinds {
				c := cell{size: size, children: children, kind: kind}
				for _, way := range ways {
					name := fmt.Sprintf("%s-%d-%d-%s%s", kind.name, size, children, way, s.seed)
					f := family{name: name, model: s.model, size: size, kind: kind, way: way}
					if c.of[way], err = f.measure(ctx, url, children); err != nil {
						return nil, fmt.Errorf("%d tokens, %d children, %s, %s: %w", size, children, kind.name, way, err)
					}
				}
				fmt.Fprintln(stderr, c)
				cells = append(cells, c)
			}
		}
	}
	return cells, nil
}

// write writes the page and its plot.
func write(s settings, cells []cell) error {
	for name, content := range map[string]func(io.Writer, settings, []cell) error{"fork-benchmark.md": page, "fork-benchmark.svg": plot} {
		file, err := os.Create(filepath.Join(s.out, name))
		if err != nil {
			return err
		}
		if err := errors.Join(content(file, s, cells), file.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
