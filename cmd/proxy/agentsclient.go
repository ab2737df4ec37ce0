package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"trunkline/cmd/proxy/internal/settings"
)

// agentsClient makes calls of a proxy's agents API.
type agentsClient struct {
	base settings.BaseURL
	key  string
}

// answerBound is how long a call may take that does not wait for anything to happen.
const answerBound = time.Minute

func (c *agentsCommand) client() agentsClient { return agentsClient{c.Proxy, c.Key} }

// refusedCall is a call that the proxy did not do.
type refusedCall struct {
	status  int
	message string
}

func (e *refusedCall) Error() string { return printable(e.message) }

// do makes one call. body goes up as JSON unless it is nil, and the answer comes into
// into.
func (c agentsClient) do(ctx context.Context, method, path string, query url.Values, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerBound)
	defer cancel()
	var sent io.Reader = http.NoBody
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	answer, err := c.send(ctx, method, path, query, sent, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("the answer of %s cannot be read: %w", c.base.Redacted(), err)
	}
	return nil
}

// send sends a request and returns its answer, whose body is the caller's to close, or why
// there is none: a *refusedCall, or what is in the way.
func (c agentsClient) send(ctx context.Context, method, path string, query url.Values, body io.Reader, header http.Header) (*http.Response, error) {
	base := c.base.URL()
	base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), "/v1") // as clients have it
	at := base.JoinPath(path)
	if query != nil {
		at.RawQuery = query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the URL is named below, without what it may hide
		}
		return nil, fmt.Errorf("no proxy answers at %s (--proxy names another): %w", c.base.Redacted(), err)
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	if answer.Header.Get("X-Trunkline-Error") == "" {
		return nil, fmt.Errorf("%s is no trunkline proxy: it answers %s", c.base.Redacted(), answer.Status)
	}
	told, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	refused := &refusedCall{answer.StatusCode, toldError(told).Error()}
	switch answer.Header.Get("X-Trunkline-Error") {
	case "missing_api_key":
		refused.message += " (--key gives one)"
	case "invalid_api_key", "missing_scope":
		refused.message += " (--key gives another)"
	}
	return nil, refused
}

// toldError is what an error of the proxy says, in a response or in a stream.
func toldError(body []byte) error {
	var told struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &told); err != nil || told.Error.Message == "" {
		return errors.New("the proxy refuses, and does not say why")
	}
	return errors.New(printable(told.Error.Message))
}
