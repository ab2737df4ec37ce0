// Package recordings holds what real clients sent, and what a scripted provider answered
// them: README.md says in which form. Tests play it, and fuzz functions start from it.
package recordings

import (
	"bufio"
	"compress/gzip"
	"embed"
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// A Recording is one conversation of a client.
type Recording struct {
	Name      string
	Exchanges []Exchange
}

// An Exchange is one request of a client, and its answer.
type Exchange struct {
	Request struct {
		Method, Path string
		Headers      [][2]string // name, value
		Body         string
	}
	Response struct {
		Status  int
		Headers [][2]string
		Chunks  []string // of a stream, as they were written; else Body
		Body    string
	}
}

// Answer is the answer's whole body.
func (e Exchange) Answer() string { return strings.Join(e.Response.Chunks, "") + e.Response.Body }

//go:embed *.jsonl.gz
var files embed.FS

// Load returns all recordings, by name.
func Load(t testing.TB) []Recording {
	t.Helper()
	names, err := fs.Glob(files, "*")
	if err != nil {
		t.Fatal(err)
	}
	all := make([]Recording, len(names))
	for i, name := range names {
		exchanges, err := read(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[i] = Recording{strings.TrimSuffix(name, ".jsonl.gz"), exchanges}
	}
	return all
}

// A seed of a fuzz function is changed in thousands of ways, and made small again where one
// of them is new: large ones leave time for nothing else.
const maxSeed = 8 << 10

// prose is what recordings have most of, and what says least. A cut within it leaves JSON
// valid.
var prose = regexp.MustCompile("([A-Za-z ]{12})[A-Za-z0-9 .,;()/`-]*")

// Seeds returns what to start fuzz functions from: the bodies of each conversation's
// requests, in order, and the streams of the answers, all with their prose cut short. What is
// still large is left out.
func Seeds(t testing.TB) (conversations [][]string, streams []string) {
	t.Helper()
	for _, r := range Load(t) {
		var bodies []string
		for _, e := range r.Exchanges {
			if body := prose.ReplaceAllString(e.Request.Body, "$1"); len(body) <= maxSeed {
				bodies = append(bodies, body)
			}
			if stream := prose.ReplaceAllString(strings.Join(e.Response.Chunks, ""), "$1"); stream != "" && len(stream) <= maxSeed {
				streams = append(streams, stream)
			}
		}
		conversations = append(conversations, bodies)
	}
	return conversations, streams
}

func read(name string) (exchanges []Exchange, err error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e Exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		exchanges = append(exchanges, e)
	}
	return exchanges, lines.Err()
}
