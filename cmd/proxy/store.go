package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trunkline/agents"
	"trunkline/agents/boltstore"
	"trunkline/agents/redisstore"
)

// storeLocation says where agents are kept: file:PATH, or a URL of Redis.
type storeLocation string

// redisSchemes are the ways to reach Redis: one server, one over TLS, a master
// found through sentinels, a cluster.
var redisSchemes = []string{"redis://", "rediss://", "redis+sentinel://", "redis+cluster://"}

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes "", the default
// of a user without a home.
func (l *storeLocation) UnmarshalText(text []byte) error {
	location := string(text)
	if path, ok := strings.CutPrefix(location, "file:"); location == "" || ok && path != "" {
		*l = storeLocation(location)
		return nil
	}
	for _, scheme := range redisSchemes {
		if rest, ok := strings.CutPrefix(location, scheme); ok && rest != "" {
			*l = storeLocation(location)
			return nil
		}
	}
	scheme, _, colon := strings.Cut(location, ":")
	if !colon {
		return fmt.Errorf("want file:PATH or a URL of Redis, got %q: is it file:%s?", location, location)
	}
	// What was given may be a URL with a password: only its scheme is shown.
	return fmt.Errorf("want file:PATH or a URL that begins with %s, got %q", strings.Join(redisSchemes, ", "), scheme+":…")
}

// startTimeout bounds how long a start waits for its store.
const startTimeout = 3 * time.Second

// open opens the store that the location names. Its errors name it, and say what is wrong
// with it.
func (l storeLocation) open(ctx context.Context, log *slog.Logger) (agents.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	store, err := l.connect(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("--store=%s: %w", l.Redacted(), err)
	}
	return store, nil
}

func (l storeLocation) connect(ctx context.Context, log *slog.Logger) (agents.Store, error) {
	if path, ok := strings.CutPrefix(string(l), "file:"); ok {
		return boltstore.Open(path, boltstore.Options{})
	}
	redisstore.LogTo(log)
	return redisstore.Open(ctx, string(l), redisstore.Options{Logger: log})
}

// Redacted returns the location without user and password. A list of hosts is
// no valid URL to net/url, hence by hand.
func (l storeLocation) Redacted() string {
	scheme, rest, ok := strings.Cut(string(l), "://")
	if !ok {
		return string(l)
	}
	authority, path, slash := strings.Cut(rest, "/")
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		authority = "REDACTED" + authority[i:]
	}
	if slash {
		path = "/" + path
	}
	return scheme + "://" + authority + path
}

// defaultStore returns the embedded store's place under the user's state
// directory, or "" for a user without a home.
func defaultStore() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification: ignore relative ones
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return "file:" + filepath.Join(state, "trunkline", "agents.db")
}
