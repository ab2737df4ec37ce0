package main

import (
	"context"
	"fmt"
	"time"

	"trunkline/agents"
	"trunkline/proxy"
	"trunkline/proxy/record"
)

// recordBound is how long a shutdown waits for what is recorded to reach the disk.
const recordBound = 5 * time.Second

// observed has recordings tell what their exchanges do at the store.
func (s *serveCommand) observed(store agents.Store) agents.Store {
	if s.Record == "" {
		return store
	}
	return record.Observe(store)
}

// record has the exchanges of a proxy recorded where --record says so, and trace told of what
// is lost. The function that it returns ends that, once the proxy serves nothing more.
func (s *serveCommand) record(c *proxy.Config, trace record.Trace) (end func() error, err error) {
	if s.Record == "" {
		return func() error { return nil }, nil
	}
	recorder, err := record.New(record.Config{Dir: s.Record, Settings: record.SettingsOf(*c), Trace: trace, Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	c.Recorder = recorder
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), recordBound)
		defer cancel()
		return recorder.Close(ctx)
	}, nil
}
