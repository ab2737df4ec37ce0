package proxy

import (
	"log/slog"
	"net/http"
	"time"

	"trunkline/agents"
	"trunkline/prefix/reuse"
	"trunkline/proxy/keys"
)

// Config is what a Server needs. Zero values are usable except for Upstreams and Agents.
type Config struct {
	// Upstreams are the provider's base URLs, one for each replica; each replaces the
	// client's leading /v1. At least one.
	Upstreams []string
	// UpstreamKey is sent as a bearer token when the client sent no credential, and in
	// the place of its key where Keys has no other one.
	UpstreamKey string
	// Provider is the profile of what is behind Upstreams. Its zero value is guessed
	// from the first URL.
	Provider reuse.Provider

	// Agents serves identified clients.
	Agents *agents.Service
	// Tools are the standard tools that identified agents get, by name.
	Tools []string
	// InterceptOwn also handles a client's own tool named like ours.
	InterceptOwn bool
	// NoRepair sends an identified client's head and history as it sent them, also
	// where they mean the same as what was sent before.
	NoRepair bool
	// Breakpoints marks identified clients' requests where a provider caches only at
	// markers, unless the client sets its own.
	Breakpoints bool
	// NoStaging sends sibling forks together also where that makes the provider read
	// their common prefix once for each.
	NoStaging bool
	// Adopt takes headers that known clients send by themselves as identity.
	Adopt bool
	// AskUsage says for whom stream_options.include_usage is asked for.
	AskUsage AskUsage

	// MaxBody bounds a request body after decompression, in bytes. Zero: 64 MiB.
	MaxBody int64
	// MaxBodies bounds the bodies that are being served, together, in bytes; others are
	// refused with 503. One alone may be of any size. Zero: 1 GiB.
	MaxBodies int64
	// EventMax is the size past which an event of a stream is relayed but not read, in
	// bytes. Zero: 16 MiB.
	EventMax int
	// HeaderTimeout bounds the wait for the provider's headers (a long prefill), and
	// IdleTimeout the silence within an answer. Zero: 10 min and 5 min.
	HeaderTimeout time.Duration
	IdleTimeout   time.Duration
	// Heartbeat is how often a held response shows that it lives. Zero: 15 s.
	Heartbeat time.Duration

	// Keys admits clients, each to its tenant. nil admits everybody, and a client's own
	// credential, which then goes to the provider, tells its tenant.
	Keys *keys.Ring

	// Local: the listener is on a loopback address and whoever reaches it is the
	// operator, so a browser's foreign origin or host is refused.
	Local bool
	// AllowOrigins and AllowHosts are exceptions to that.
	AllowOrigins []string
	AllowHosts   []string

	// Recorder is told the bytes of every request to the provider's paths, and of every call
	// of /agents that may change what is sent there.
	Recorder Recorder
	// Metrics serves /metrics; nil answers 404.
	Metrics http.Handler
	// Trace is told what happened.
	Trace Trace
	// Log defaults to discarding.
	Log *slog.Logger
}

// AskUsage is for whom the proxy asks the provider to report usage at a stream's end.
type AskUsage string

const (
	AskNobody     AskUsage = "none"
	AskIdentified AskUsage = "identified"
	AskAll        AskUsage = "all"
)

func (c *Config) defaults() {
	if c.MaxBody == 0 {
		c.MaxBody = 64 << 20
	}
	if c.MaxBodies == 0 {
		c.MaxBodies = 1 << 30
	}
	if c.EventMax == 0 {
		c.EventMax = 16 << 20
	}
	if c.HeaderTimeout == 0 {
		c.HeaderTimeout = 10 * time.Minute
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = 5 * time.Minute
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 15 * time.Second
	}
	if c.AskUsage == "" {
		c.AskUsage = AskIdentified
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}
