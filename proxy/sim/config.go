package sim

import (
	"strings"
	"time"
)

// Order says where a template renders the tools.
type Order string

const (
	SystemFirst Order = "system-first" // system, tools, history
	ToolsFirst  Order = "tools-first"  // tools, system, history
)

// Config describes a simulated provider. The zero value is ready to use.
type Config struct {
	// Script answers; nil is [Echo].
	Script Script
	// Base is the path that the API is served under; "" is "/v1", "/" the root.
	Base string
	// Models are the ids that the model list names; nil is "sim-1". Requests
	// for any other model are answered too.
	Models []string
	// Order of the rendered prompt; "" is SystemFirst.
	Order Order
	// Breakpoints says where the cache can be entered; "" is NoBreakpoints. With
	// any other an entry takes one block of CacheBlocks.
	Breakpoints Breakpoints
	// Dialect of the usage report; "" is OpenAI.
	Dialect Dialect
	// UsageAlways reports usage in every stream, asked for or not.
	UsageAlways bool
	// Lenient accepts histories in which calls and results do not pair up.
	// Otherwise they are refused with 400, as OpenAI does.
	Lenient bool

	// CacheBlocks is the capacity of each replica, in blocks of 16 tokens;
	// 0 is 65,536 (a million tokens).
	CacheBlocks int
	// Replicas is the number of separate caches; 0 is 1.
	Replicas int
	// Pick chooses the replica, taken modulo Replicas. nil obeys the request
	// header X-Sim-Replica (a number from 0), and without it takes 0.
	Pick func(Request) int

	// PrefillPerToken is the time that each uncached prompt token takes.
	PrefillPerToken time.Duration
	// EventDelay is waited before each streamed event but the first.
	EventDelay time.Duration

	// Conversation names the conversation that a request belongs to; nil takes
	// the text of the first user item, cut to 256 bytes.
	Conversation func(Request) string
	// KeepRequests and KeepBytes bound the record of received requests; 0 is
	// 4,096 requests and 64 MiB. The oldest go first.
	KeepRequests int
	KeepBytes    int
}

func (c Config) withDefaults() Config {
	if c.Script == nil {
		c.Script = Echo
	}
	if c.Base == "" {
		c.Base = "/v1"
	}
	c.Base = strings.TrimRight(c.Base, "/")
	if c.Models == nil {
		c.Models = []string{"sim-1"}
	}
	if c.Order == "" {
		c.Order = SystemFirst
	}
	if c.Breakpoints == "" {
		c.Breakpoints = NoBreakpoints
	}
	if c.Dialect == "" {
		c.Dialect = OpenAI
	}
	if c.CacheBlocks == 0 {
		c.CacheBlocks = 1 << 16
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Pick == nil {
		c.Pick = byHeader
	}
	if c.Conversation == nil {
		c.Conversation = firstUserText
	}
	if c.KeepRequests == 0 {
		c.KeepRequests = 4096
	}
	if c.KeepBytes == 0 {
		c.KeepBytes = 64 << 20
	}
	return c
}
