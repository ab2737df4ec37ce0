package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"trunkline/agents"
	"trunkline/cmd/proxy/internal/settings"
	"trunkline/metrics"
	"trunkline/prefix/reuse"
	"trunkline/proxy"
	"trunkline/proxy/keys"
	"trunkline/spans"
)

type serveCommand struct {
	Listen      listenAddress `group:"Client side" default:"127.0.0.1:8080" help:"Address for clients."`
	Insecure    bool          `group:"Client side" help:"Allow --listen where other machines reach it."`
	Auth        string        `group:"Client side" placeholder:"FILE" help:"YAML file of the keys that clients need."`
	AllowOrigin []string      `group:"Client side" placeholder:"ORIGIN" help:"Web origins to accept requests from."`
	AllowHost   []string      `group:"Client side" placeholder:"HOST" help:"Host names to accept on a loopback address."`
	MaxBody     settings.Size `group:"Client side" default:"64MiB" help:"Largest request body, decompressed."`
	MaxBodies   settings.Size `group:"Client side" default:"1GiB" help:"Request bodies to serve together; 503 beyond."`

	Upstream      []settings.BaseURL `group:"Provider" default:"https://api.openai.com/v1" fallback:"OPENAI_BASE_URL" placeholder:"URL" help:"Base URLs of replicas ($$OPENAI_BASE_URL, OpenAI)."`
	UpstreamKey   string             `group:"Provider" fallback:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"For clients without a key ($$OPENAI_API_KEY)."`
	Provider      string             `group:"Provider" placeholder:"NAME" help:"Profile (by URL, else generic)."`
	AskUsage      string             `group:"Provider" enum:"none,identified,all" default:"identified" placeholder:"WHOSE" help:"Ask for usage: none, ${default} or all."`
	HeaderTimeout time.Duration      `group:"Provider" default:"10m" help:"Longest wait for an answer's header."`
	IdleTimeout   time.Duration      `group:"Provider" default:"5m" help:"Longest silence within an answer."`
	EventMax      settings.Size      `group:"Provider" default:"16MiB" help:"Longest event to inspect; longer ones only pass."`

	Store     storeLocation `group:"Agents" default:"${store}" placeholder:"LOCATION" help:"file:PATH or a URL of Redis (${store})."`
	Residency time.Duration `group:"Agents" default:"30m" help:"How long an open turn waits for its client."`
	RootTTL   time.Duration `name:"root-ttl" group:"Agents" default:"24h" help:"How long a root lives without a sign of life."`
	Retention time.Duration `group:"Agents" default:"720h" help:"How long settled agents are kept."`
	Lease     time.Duration `group:"Agents" default:"10s" help:"How long a silent holder keeps an exchange."`

	Tools        []string `group:"Requests of agents" enum:"send_message,interrupt_agent,list_agents,none" default:"send_message,interrupt_agent,list_agents" placeholder:"NAME" help:"Tools to add, or none (all three)."`
	Repair       bool     `group:"Requests of agents" negatable:"" default:"true" help:"Send pinned bytes where new ones mean the same."`
	Staging      bool     `group:"Requests of agents" negatable:"" default:"true" help:"Send one of several cold sibling forks first."`
	Breakpoints  bool     `group:"Requests of agents" help:"Set cache markers where a provider needs them."`
	Adopt        bool     `group:"Requests of agents" help:"Take ids from known headers of clients."`
	InterceptOwn bool     `group:"Requests of agents" help:"Also handle a client's own send_message tool."`

	Config       string        `group:"Process" placeholder:"FILE" help:"YAML file with these names as keys."`
	Record       string        `group:"Process" type:"path" placeholder:"DIR" help:"Record every exchange into this directory."`
	PrintConfig  bool          `group:"Process" help:"Print the settings and their sources, then exit."`
	OTLP         string        `name:"otlp" group:"Process" placeholder:"URL" help:"Export a span for each provider request to this OTLP/HTTP endpoint."`
	TenantLabel  bool          `group:"Process" help:"Count by tenant, too, in the metrics."`
	LogLevel     string        `group:"Process" enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" help:"Least level to log: debug, ${default}, warn, error."`
	DrainTimeout time.Duration `group:"Process" default:"30s" help:"How long a shutdown waits for open requests."`
}

// Validate runs after the flags are set; kong reports its error as misuse.
func (s *serveCommand) Validate() error {
	if !s.Listen.loopback() && !s.Insecure && s.Auth == "" {
		return fmt.Errorf("--listen=%s: other machines could reach it, and whoever does can use the provider's key and every agent: "+
			"listen on a loopback address such as 127.0.0.1:8080, ask for keys with --auth, or pass --insecure to allow it", s.Listen)
	}
	if len(s.Upstream) == 0 {
		return errors.New("--upstream: want at least one URL")
	}
	for _, u := range s.Upstream {
		if s.Listen.serves(u.URL()) {
			return fmt.Errorf("--upstream=%s: that is --listen, the proxy itself: name the provider "+
				"($OPENAI_BASE_URL, which is for clients too, stands in for --upstream)", u.Redacted())
		}
	}
	if s.Store == "" {
		return errors.New("--store: want a location; there is no default without $XDG_STATE_HOME or $HOME")
	}
	if slices.Contains(s.Tools, "none") && len(s.Tools) > 1 {
		return errors.New("--tools: none excludes the others")
	}
	for _, origin := range s.AllowOrigin {
		if err := checkOrigin(origin); err != nil {
			return fmt.Errorf("--allow-origin: %w", err)
		}
	}
	for _, host := range s.AllowHost {
		if err := checkHost(host); err != nil {
			return fmt.Errorf("--allow-host: %w", err)
		}
	}
	if s.OTLP != "" {
		if err := new(settings.BaseURL).UnmarshalText([]byte(s.OTLP)); err != nil {
			return fmt.Errorf("--otlp: %w", err)
		}
	}
	if s.Provider != "" {
		if _, err := reuse.Lookup(s.Provider); err != nil {
			return fmt.Errorf("--provider: %w", err)
		}
	}
	for _, b := range []bound{
		{"residency", s.Residency, time.Millisecond},
		{"root-ttl", s.RootTTL, time.Millisecond},
		{"retention", s.Retention, time.Millisecond},
		{"lease", s.Lease, 100 * time.Millisecond}, // renewed every fifth of it
		{"header-timeout", s.HeaderTimeout, time.Millisecond},
		{"idle-timeout", s.IdleTimeout, time.Millisecond},
		{"drain-timeout", s.DrainTimeout, 0},
	} {
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

// Run serves until ctx ends. What is opened first is closed last.
func (s *serveCommand) Run(ctx context.Context, command *kong.Context, layers *settings.Layers, stdout io.Writer, stderr errorWriter) (err error) {
	if s.PrintConfig {
		return layers.Print(stdout, command)
	}
	log := newLogger(stderr, s.LogLevel)
	store, err := s.Store.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	counts := metrics.New(metrics.Config{TenantLabel: s.TenantLabel})
	service := agents.New(agents.Config{
		Store:     counts.Store(s.observed(store)),
		Holder:    rand.Text(),
		Lease:     s.Lease,
		Residency: s.Residency,
		RootTTL:   s.RootTTL,
		Retention: s.Retention,
		Histories: proxy.Histories(store),
		Trace:     counts.Agents(),
		Log:       log,
	})
	config := s.config(service, counts, log)
	if s.Auth != "" {
		if config.Keys, err = keys.Open(s.Auth, log); err != nil {
			return err
		}
	}
	if s.OTLP != "" {
		exporter, err := spans.Open(ctx, s.OTLP, log)
		if err != nil {
			return err
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleBound)
			defer cancel()
			if err := exporter.Close(ctx); err != nil {
				log.Warn("the last spans were not exported", "err", err)
			}
		}()
		config.Trace = config.Trace.And(exporter.Proxy())
	}
	closeRecorder, err := s.record(&config, counts.Recorder())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeRecorder()) }()
	handler, err := proxy.New(config)
	if err != nil {
		return err
	}
	listener, err := s.Listen.open(ctx, stdout)
	if err != nil {
		return err
	}
	log.Info("serving", "upstream", redacted(s.Upstream), "provider", handler.Provider.Name, "store", s.Store.Redacted())
	// The service outlives the drain: streams that are still open go on renewing.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ran, counted := make(chan error, 1), make(chan struct{})
	go func() { ran <- service.Run(running) }()
	go func() { defer close(counted); counts.Run(running, service) }()
	defer func() { stop(); <-counted; err = errors.Join(err, <-ran) }()
	context.AfterFunc(ctx, handler.Drain)
	return serveHTTP(ctx, listener, handler, s.DrainTimeout, log)
}

// redacted is the providers as a log may have them.
func redacted(urls []settings.BaseURL) string {
	shown := make([]string, len(urls))
	for i, u := range urls {
		shown[i] = u.Redacted()
	}
	return strings.Join(shown, ",")
}

// config maps the settings to the proxy's own.
func (s *serveCommand) config(service *agents.Service, counts *metrics.Metrics, log *slog.Logger) proxy.Config {
	c := proxy.Config{
		UpstreamKey:   s.UpstreamKey,
		Agents:        service,
		InterceptOwn:  s.InterceptOwn,
		NoRepair:      !s.Repair,
		Adopt:         s.Adopt,
		NoStaging:     !s.Staging,
		Breakpoints:   s.Breakpoints,
		AskUsage:      proxy.AskUsage(s.AskUsage),
		MaxBody:       int64(s.MaxBody),
		MaxBodies:     int64(s.MaxBodies),
		EventMax:      int(s.EventMax),
		HeaderTimeout: s.HeaderTimeout,
		IdleTimeout:   s.IdleTimeout,
		Local:         s.Listen.loopback(),
		AllowOrigins:  s.AllowOrigin,
		AllowHosts:    s.AllowHost,
		Metrics:       counts.Handler(),
		Trace:         counts.Proxy(),
		Log:           log,
	}
	for _, u := range s.Upstream {
		c.Upstreams = append(c.Upstreams, u.URL().String())
	}
	if s.Provider != "" {
		c.Provider, _ = reuse.Lookup(s.Provider) // Validate has looked it up
	}
	for _, name := range s.Tools {
		if name != "none" {
			c.Tools = append(c.Tools, name)
		}
	}
	return c
}
