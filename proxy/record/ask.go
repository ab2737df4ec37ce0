package record

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"trunkline/prefix"
	"trunkline/proxy/sse"
)

// Asker returns what [Options.Ask] needs to send each request to the provider at base, with
// a key that may be empty.
func Asker(base, key string) func(ctx context.Context, method, path string, body []byte) (prefix.Usage, error) {
	return func(ctx context.Context, method, path string, body []byte) (prefix.Usage, error) {
		req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(base, "/")+path, bytes.NewReader(body))
		if err != nil {
			return prefix.Usage{}, err
		}
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return prefix.Usage{}, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
			return prefix.Usage{}, fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(text))
		}
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			return streamUsage(resp.Body)
		}
		whole, err := io.ReadAll(resp.Body)
		usage, _ := prefix.EventUsage(whole)
		return usage, err
	}
}

// streamUsage reads an answer to its end, since only then the provider has kept the prompt.
func streamUsage(body io.Reader) (prefix.Usage, error) {
	var usage prefix.Usage
	events := sse.NewReader(body, 0)
	for {
		e, err := events.Next()
		if err == io.EOF {
			return usage, nil
		} else if err != nil {
			return usage, err
		}
		if u, ok := prefix.EventUsage(e.Data); ok {
			usage = usage.Merge(u)
		}
	}
}
