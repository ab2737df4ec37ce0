package main

import (
	"fmt"
	"io"
	"os"

	"trunkline/proxy/record"
)

// recordCommand is a table of what can be done with recordings besides replaying them.
type recordCommand struct {
	Scrub scrubCommand `cmd:"" help:"Replace all prose by filler, so that a recording can be shown."`
}

type scrubCommand struct {
	In  string `arg:"" name:"in" help:"A recording, or the directory with the files of one."`
	Out string `arg:"" name:"out" help:"The file to write."`
}

// Run writes the scrubbed recording once it is proven to have the relations of the original.
func (c *scrubCommand) Run(stdout io.Writer) error {
	if info, err := os.Stat(c.Out); err == nil && info.IsDir() {
		return misuse(fmt.Errorf("%s is a directory: name the file to write", c.Out))
	}
	sessions, err := record.Load(c.In)
	if err != nil {
		return misuse(err)
	}
	if len(sessions) > 1 {
		return misuse(fmt.Errorf("%s holds %d recordings, of as many runs of the proxy: name one file", c.In, len(sessions)))
	}
	s := sessions[0]
	if len(s.Exchanges) == 0 {
		return misuse(fmt.Errorf("%s: %w: it holds no exchange", s.Name, record.ErrFormat))
	}
	if err := s.Scrub(); err != nil {
		return err
	}
	if err := record.WriteFile(c.Out, s.Exchanges); err != nil {
		return misuse(err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d exchanges; every two bodies have as many bytes in common as before\n", c.Out, len(s.Exchanges))
	return err
}
