package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"trunkline/proxy/api"
	"trunkline/proxy/sse"
)

// watchAgain is how long a watcher waits before it asks again for a stream that ended.
const watchAgain = time.Second

type agentsWatch struct {
	ID string `arg:"" help:"The agent."`
}

// Run prints events until the agent is deleted or ctx ends. A stream that breaks is taken
// up again behind the last event that was seen.
func (w *agentsWatch) Run(ctx context.Context, of *agentsCommand, stdout io.Writer, stderr errorWriter) error {
	watch := watching{of: of, path: agentPath(w.ID, "events"), out: stdout}
	for {
		over, err := watch.stream(ctx)
		var refused *refusedCall
		switch {
		case over || ctx.Err() != nil:
			return nil
		case watch.last == "" || errors.As(err, &refused) && refused.status < 500:
			return err
		case err != nil:
			fmt.Fprintf(stderr, "proxy: %v; trying again\n", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchAgain):
		}
	}
}

// watching is one agent being watched, over as many streams as it takes.
type watching struct {
	of   *agentsCommand
	path string
	out  io.Writer
	last string // id of the last event seen
}

// stream follows one stream to its end. over: the agent is gone.
func (w *watching) stream(ctx context.Context) (over bool, err error) {
	header := http.Header{}
	if w.last != "" {
		header.Set("Last-Event-ID", w.last)
	}
	answer, err := w.of.client().send(ctx, http.MethodGet, w.path, nil, nil, header)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	events := sse.NewReader(answer.Body, 64<<20)
	for {
		event, err := events.Next()
		if errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if len(event.Data) == 0 {
			continue
		}
		if event.Name == "" {
			return false, toldError(event.Data) // it ends the stream
		}
		if event.ID != "" {
			w.last = event.ID
		}
		if err := w.print(event.Name, event.Data); err != nil {
			return true, err
		}
		if event.Name == "deleted" {
			return true, nil
		}
	}
}

// print prints an event on one line.
func (w *watching) print(name string, data []byte) error {
	if w.of.JSON {
		return printJSON(w.out, struct {
			Event string          `json:"event"`
			ID    string          `json:"id"`
			Data  json.RawMessage `json:"data"`
		}{name, w.last, data})
	}
	line := name
	switch name {
	case "state":
		var a api.State
		if err := json.Unmarshal(data, &a); err != nil {
			return err
		}
		line = fmt.Sprintf("%s, turn %d, %d in the inbox", a.Status, a.Turn, a.Inbox.NextStep+a.Inbox.NextTurn)
		if a.Outcome != "" && a.Status != "running" {
			line += ", last turn " + string(a.Outcome)
		}
	case "message":
		var m struct {
			Kind    string `json:"kind"`
			From    string `json:"from"`
			Bytes   int    `json:"bytes"`
			Outcome string `json:"outcome"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		line = fmt.Sprintf("%s from %s, %d bytes", m.Kind, m.From, m.Bytes)
		if m.Outcome != "" {
			line += ", " + m.Outcome
		}
	case "settled":
		var s struct {
			Outcome string `json:"outcome"`
		}
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		line = "settled: " + s.Outcome
	}
	_, err := fmt.Fprintf(w.out, "%s  %s\n", clock(time.Now()), oneLine(line))
	return err
}
