package e2e

import (
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// TestProviderDies: an answer that breaks off never looks complete, and what came
// before the break came through.
func TestProviderDies(t *testing.T) {
	for name, how := range map[string]sim.How{"reset": sim.Reset, "half an event": sim.HalfEvent, "error event": sim.ErrorEvent, "end of file": sim.EOF} {
		for _, id := range []string{"", "root"} {
			for _, stream := range []bool{true, false} {
				if how == sim.ErrorEvent && !stream {
					continue
				}
				t.Run(strings.Join([]string{name, id, map[bool]string{true: "stream", false: "whole"}[stream]}, "/"), func(t *testing.T) {
					w := &world{t: t, stream: stream, store: "file:" + t.TempDir() + "/agents.db"}
					c := w.root(id)
					said := "a text of several pieces"
					w.serve(lines{c.name(): {{Text: said, Piece: 6, Break: &sim.Break{After: 3, How: how}}, text("Here.")}})
					a := c.user("hello").try(t)
					if a.whole() || a.done || a.finish != "" && stream {
						t.Errorf("the broken answer looks whole: %s", a.raw)
					}
					if stream && !strings.HasPrefix(said, a.text) || stream && a.text == "" {
						t.Errorf("the client reads %q of %q", a.text, said)
					}
					if clean := a.err == nil && a.failure == ""; clean && how == sim.Reset || clean && !stream {
						t.Errorf("the body ends cleanly: %s", a.raw)
					}
					if got := c.send(t); got.text != "Here." {
						t.Errorf("the retry is answered %q", got.text)
					}
				})
			}
		}
	}
}
