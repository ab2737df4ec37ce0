package record

import "time"

// An Exchange is one request of a client, with everything that it led to.
type Exchange struct {
	ID       string    `json:"id"` // RUN-N: the process, and a number that counts in it
	Start    time.Time `json:"start"`
	Settings Settings  `json:"settings"`
	Client   Request   `json:"client"`
	Upstream []Hop     `json:"upstream"`
	Response Response  `json:"response"`
	Usage    Usage     `json:"usage"`
	Records  []Touch   `json:"records,omitempty"`

	// Place is FILE:LINE of an exchange that was read.
	Place string `json:"-"`
}

// A Request is a request of a client or to a provider.
type Request struct {
	Method  string   `json:"method"`
	Path    string   `json:"path"` // escaped, with the query of a client; below the base URL for a provider
	Tenant  int      `json:"tenant,omitempty"`
	Headers []Header `json:"headers"`
	Body    Text     `json:"body"`
}

// A Header is a name and one value.
type Header [2]string

// A Hop is one request to a provider and what came of it.
type Hop struct {
	At       int64     `json:"at"` // microseconds since the exchange's start
	Request  Request   `json:"request"`
	Response *Response `json:"response,omitempty"` // nil: none came
	Error    string    `json:"error,omitempty"`    // why none came
}

// A Response is an answer. Status 0 says that there was none.
type Response struct {
	At      int64    `json:"at"`
	Status  int      `json:"status"`
	Headers []Header `json:"headers"`
	Chunks  []Chunk  `json:"chunks"`
	// End says how the body ended: EndWhole, EndLeft, or else what broke it.
	End string `json:"end"`
	// EndAt is when.
	EndAt int64 `json:"end_at"`
}

// How a body ends.
const (
	EndWhole = "whole"
	EndLeft  = "left" // by its reader, before its end
)

// A Chunk is a part of a body that went over the wire at once.
type Chunk struct {
	At   int64
	Data []byte
}

// Body returns the chunks as one.
func (r *Response) Body() []byte {
	var b []byte
	for _, c := range r.Chunks {
		b = append(b, c.Data...)
	}
	return b
}

// Usage is the account of an exchange.
type Usage struct {
	Route    string `json:"route"`
	Outcome  string `json:"outcome"`
	Relation string `json:"relation"`
	Took     int64  `json:"took"` // microseconds
	Steps    []Step `json:"steps"`
}

// A Step is the account of one provider request. Sizes are bytes of the head and the
// items without separators; the rest are tokens.
type Step struct {
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model"`
	Relation string `json:"relation"`
	Status   int    `json:"status"`
	Bytes    int64  `json:"bytes"`
	Shared   int64  `json:"shared"`
	Cause    string `json:"cause"` // of the break
	Segment  string `json:"segment,omitempty"`
	Name     string `json:"name,omitempty"`
	Item     int    `json:"item,omitempty"`
	Prompt   *int64 `json:"prompt_tokens"`  // nil: not reported
	Expected int64  `json:"expected"`       // what the provider should have read from its cache
	Cached   *int64 `json:"cached_tokens"`  // nil: not reported
	Loss     string `json:"loss,omitempty"` // cause of the largest loss of tokens
}
