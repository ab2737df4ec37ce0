package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

// served is a server whose only request is open: it has entered its handler.
type served struct {
	entered chan context.Context // the open request's
	release chan struct{}        // close it to let the request end well
	stop    context.CancelFunc
	ended   chan error  // of serveHTTP
	answer  chan string // body, or the client's error
}

func open(t *testing.T, drain time.Duration) served {
	t.Helper()
	s := served{entered: make(chan context.Context), release: make(chan struct{}), ended: make(chan error, 1), answer: make(chan string, 1)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.entered <- r.Context()
		select {
		case <-s.release:
			io.WriteString(w, "whole")
		case <-r.Context().Done():
			io.WriteString(w, "cut")
		}
	})
	var ctx context.Context
	ctx, s.stop = context.WithCancel(t.Context())
	go func() { s.ended <- serveHTTP(ctx, listener, handler, drain, slog.New(slog.DiscardHandler)) }()
	go func() {
		answer, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			s.answer <- err.Error()
			return
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		s.answer <- string(body)
	}()
	return s
}

func TestShutdownLetsOpenRequestsEnd(t *testing.T) {
	s := open(t, time.Hour)
	request := <-s.entered
	s.stop()
	if err := request.Err(); err != nil {
		t.Errorf("the open request was cancelled: %v", err)
	}
	close(s.release)
	if got := <-s.answer; got != "whole" {
		t.Errorf("the open request's answer: %q", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestShutdownCutsWhatOutlivesTheDrain(t *testing.T) {
	s := open(t, 0)
	request := <-s.entered
	s.stop()
	<-request.Done()
	if cause := context.Cause(request); !errors.Is(cause, errShutdown) {
		t.Errorf("the cause of the cut: %v", cause)
	}
	if got := <-s.answer; got != "cut" {
		t.Errorf("the cut request could not answer: %q", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestLostListenerIsAnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	err = serveHTTP(t.Context(), listener, http.NotFoundHandler(), 0, slog.New(slog.DiscardHandler))
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v, want %v", err, net.ErrClosed)
	}
}
