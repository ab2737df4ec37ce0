package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// serve starts the proxy, and ahead of it the simulated provider unless there is another.
// It returns the proxy's URL, and what stops both.
func serve(ctx context.Context, s settings, stderr io.Writer) (url string, stop func() error, err error) {
	home, err := os.MkdirTemp("", "benchfork-")
	if err != nil {
		return "", nil, err
	}
	ends := []func() error{func() error { return os.RemoveAll(home) }}
	stop = func() (err error) {
		for i := len(ends) - 1; i >= 0; i-- {
			err = errors.Join(err, ends[i]())
		}
		return err
	}
	begin := func(args ...string) (string, error) {
		url, end, err := start(ctx, stderr, s.proxy, args...)
		if err == nil {
			ends = append(ends, end)
		}
		return url, err
	}
	if s.upstream == "" {
		s.provider = "sim"
		// Room for the largest cell, whose children share nothing.
		url, err := begin("sim", "--listen=127.0.0.1:0", "--cache-blocks=1000000", "--prefill-per-token="+prefill.String())
		if err != nil {
			return "", nil, errors.Join(err, stop())
		}
		s.upstream = url + "/v1"
	}
	args := []string{"serve", "--listen=127.0.0.1:0", "--store=file:" + home + "/agents.db", "--upstream=" + s.upstream}
	if s.provider != "" {
		args = append(args, "--provider="+s.provider)
	}
	if url, err = begin(args...); err != nil {
		return "", nil, errors.Join(err, stop())
	}
	return url, stop, nil
}

// start starts a command of the program that serves, and waits until it says where.
func start(ctx context.Context, stderr io.Writer, program string, args ...string) (url string, end func() error, err error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Stderr = stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	end = func() error {
		return errors.Join(command.Process.Signal(syscall.SIGTERM), command.Wait())
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			go io.Copy(io.Discard, stdout)
			return url, end, nil
		}
	}
	return "", nil, fmt.Errorf("%s ended before it served: %w", args[0], command.Wait())
}
