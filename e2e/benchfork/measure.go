package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"trunkline/prefix"
	"trunkline/proxy/sse"
)

// A cell is what one kind of child costs, by the way it is sent.
type cell struct {
	size, children int
	kind           kind
	of             [len(ways)]cost
}

// A cost is that of all children of a family. Tokens are as the provider reported them.
type cost struct {
	parent int64 // tokens of the parent's prompt
	prompt int64 // tokens of the children's prompts
	cached int64 // of them, read from the provider's cache
	ttft   time.Duration
}

// uncached returns the tokens that were processed.
func (c cost) uncached() int64 { return c.prompt - c.cached }

// hitRate returns the part of the prompts that was read from the cache, from 0 to 1.
func (c cost) hitRate() float64 { return float64(c.cached) / float64(max(1, c.prompt)) }

func (c cell) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%7d tokens %3d children  %-16s", c.size, c.children, c.kind.label)
	for _, w := range ways {
		fmt.Fprintf(&s, "  %s: %d uncached, %.1f %% hit, %s", w, c.of[w].uncached(), 100*c.of[w].hitRate(), c.of[w].ttft.Round(time.Millisecond))
	}
	return s.String()
}

// measure sends the parent's request, then those of so many children together.
func (f family) measure(ctx context.Context, url string, children int) (cost, error) {
	var root string // the parent's id; "" is an application that names no agent
	if f.way == asFork {
		root = fmt.Sprintf("%016x", hash(f.name))
	}
	parent, err := ask(ctx, url, f.request(f.system(), f.tools(), f.conversation()), root, "")
	if err != nil {
		return cost{}, fmt.Errorf("parent: %w", err)
	}

	type outcome struct {
		answer
		err error
	}
	outcomes := make(chan outcome)
	for i := range children {
		id, request := "", f.child(i, parent.text)
		if root != "" {
			id = fmt.Sprint(root, "-", i)
		}
		go func() {
			a, err := ask(ctx, url, request, id, root)
			outcomes <- outcome{a, err}
		}()
	}
	c := cost{parent: parent.usage.Prompt.N}
	var waits []time.Duration
	for range children {
		o := <-outcomes
		err = errors.Join(err, o.err)
		c.prompt += o.usage.Prompt.N
		c.cached += o.usage.Cached.N
		waits = append(waits, o.ttft)
	}
	slices.Sort(waits)
	c.ttft = waits[len(waits)/2]
	return c, err
}

// answer is what a client reads.
type answer struct {
	text  string
	usage prefix.Usage
	ttft  time.Duration
}

// ask sends one request and reads its stream to the end. An answer without a report of
// what was cached is an error: there would be nothing to measure.
func ask(ctx context.Context, url string, b body, id, parent string) (a answer, err error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return a, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(raw))
	if err != nil {
		return a, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{"X-Agent-Id": id, "X-Agent-Parent-Id": parent} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	sent := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return a, fmt.Errorf("%s: %s", response.Status, text)
	}
	for events := sse.NewReader(response.Body, 1<<20); ; {
		event, err := events.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			return a, err
		}
		if text := content(event.Data); text != "" {
			if a.text == "" {
				a.ttft = time.Since(sent)
			}
			a.text += text
		}
		if u, ok := prefix.EventUsage(event.Data); ok {
			a.usage = a.usage.Merge(u)
		}
	}
	if !a.usage.Prompt.Known || !a.usage.Cached.Known {
		return a, fmt.Errorf("the provider does not report what it read from its cache: %+v", a.usage)
	}
	return a, nil
}

// content returns the text in an event.
func content(event []byte) string {
	var chunk struct {
		Choices []struct{ Delta struct{ Content string } }
	}
	if json.Unmarshal(event, &chunk) != nil || len(chunk.Choices) == 0 { // [DONE], or usage
		return ""
	}
	return chunk.Choices[0].Delta.Content
}
