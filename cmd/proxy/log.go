package main

import (
	"io"
	"log/slog"
)

// newLogger returns a logger of lines at the level of --log-level and above.
func newLogger(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic(err) // the flag's enum has these names
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: least}))
}
