package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"

	"trunkline/prefix"
	"trunkline/proxy/sse"
)

// maxRequest bounds what is kept of a request, in bytes.
const maxRequest = 64 << 20

// Wire is the last stretch before a provider. It hands everything on as it
// comes, and keeps the bodies: what the provider got, and what it reported.
type Wire struct {
	provider http.Handler

	mu        sync.Mutex
	exchanges []*exchange
}

// NewWire returns the wire to a provider that is served by h.
func NewWire(h http.Handler) *Wire { return &Wire{provider: h} }

// Remote hands requests on to a provider elsewhere, under the same path and
// query. If it cannot be reached, the answer is 502 and says why.
func Remote(base *url.URL) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.User = base.Scheme, base.Host, base.User
			r.Out.Host = base.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if failed := (*url.Error)(nil); errors.As(err, &failed) {
				err = failed.Err // the URL may hold a credential
			}
			message, _ := json.Marshal("the provider at " + base.Host + " cannot be reached: " + err.Error())
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			w.Write([]byte(`{"error":{"message":` + string(message) + `,"type":"upstream_error","code":"unreachable"}}`))
		},
	}
}

// exchange is one provider request and as much of its answer as has passed.
type exchange struct {
	request []byte
	answer  []byte
}

// ServeHTTP implements [http.Handler].
func (w *Wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, maxRequest))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e := &exchange{request: body}
	w.mu.Lock()
	w.exchanges = append(w.exchanges, e)
	w.mu.Unlock()
	w.provider.ServeHTTP(&copying{ResponseWriter: out, wire: w, to: e}, r)
}

// copying keeps what is written before it passes it on, so that whoever has
// seen the end of an answer finds it here.
type copying struct {
	http.ResponseWriter
	wire *Wire
	to   *exchange
}

func (c *copying) Write(p []byte) (int, error) {
	c.wire.mu.Lock()
	c.to.answer = append(c.to.answer, p...)
	c.wire.mu.Unlock()
	return c.ResponseWriter.Write(p)
}

// Unwrap gives [http.ResponseController] the way to flush.
func (c *copying) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// count returns how many requests have passed.
func (w *Wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.exchanges)
}

// usage returns what the provider reported for request n, counted from 0. A
// request that did not get there has reported nothing.
func (w *Wire) usage(n int) prefix.Usage {
	w.mu.Lock()
	defer w.mu.Unlock()
	var usage prefix.Usage
	if n >= len(w.exchanges) {
		return usage
	}
	events := sse.NewReader(bytes.NewReader(w.exchanges[n].answer), 0)
	for {
		event, err := events.Next()
		if err != nil { // io.EOF: nothing else can go wrong in memory
			return usage
		}
		if reported, ok := prefix.EventUsage(event.Data); ok {
			usage = usage.Merge(reported)
		}
	}
}

// item is one message of a request, as much of it as the story tells.
type item struct {
	Role       string
	Content    any    // a string, or parts
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// latest returns the messages of the requests that have passed, the last
// request first.
func (w *Wire) latest() [][]item {
	w.mu.Lock()
	defer w.mu.Unlock()
	var requests [][]item
	for _, e := range slices.Backward(w.exchanges) {
		var body struct{ Messages []item }
		if json.Unmarshal(e.request, &body) == nil {
			requests = append(requests, body.Messages)
		}
	}
	return requests
}

// sent returns the latest call of send_message to an agent, with its result, as
// they stand in the prompt of the agent that made it.
func (w *Wire) sent(to string) (arguments, result string, ok bool) {
	for _, items := range w.latest() {
		for _, it := range slices.Backward(items) {
			for _, call := range it.ToolCalls {
				var args struct {
					AgentID string `json:"agent_id"`
				}
				if call.Function.Name != "send_message" || json.Unmarshal([]byte(call.Function.Arguments), &args) != nil || args.AgentID != to {
					continue
				}
				at := slices.IndexFunc(items, func(r item) bool { return r.ToolCallID == call.ID })
				if at >= 0 {
					result, _ = items[at].Content.(string)
					return call.Function.Arguments, result, true
				}
			}
		}
	}
	return "", "", false
}

// read returns the latest text that begins with opening, as it stands in a
// prompt: in a user message of its own or, where a provider wants the roles to
// alternate, in the next one.
func (w *Wire) read(opening string) (text string, ok bool) {
	for _, items := range w.latest() {
		for _, it := range slices.Backward(items) {
			content, _ := it.Content.(string)
			if at := strings.Index(content, opening); it.Role == "user" && at >= 0 {
				return content[at:], true
			}
		}
	}
	return "", false
}
