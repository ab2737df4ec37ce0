package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Session is what one process recorded, in the order in which the requests began.
type Session struct {
	Name      string   // of its first file
	Files     []string // in the order of their names
	Exchanges []*Exchange
	// Captured: the session holds only what a client sent and what it got, as another
	// program saw it.
	Captured bool
}

// ordered reports whether the session says in which order agents' records were touched.
func (s *Session) ordered() bool {
	return slices.ContainsFunc(s.Exchanges, func(x *Exchange) bool { return len(x.Records) > 0 })
}

// ErrFormat is wrapped by errors about a file's contents.
var ErrFormat = errors.New("not a recording")

// Load reads files, and the *.jsonl files of directories. Files of one process make one
// session; sessions come in the order in which they are named.
func Load(paths ...string) ([]*Session, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(filepath.Join(path, "*.jsonl"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no *.jsonl file", path)
		}
		slices.Sort(found)
		files = append(files, found...)
	}
	var sessions []*Session
	byRun := map[string]*Session{} // directory and run → its session
	for _, file := range files {
		exchanges, captured, err := Read(file)
		if err != nil {
			return nil, err
		}
		s := &Session{Name: file, Captured: captured}
		if recorderFile.MatchString(filepath.Base(file)) {
			run := filepath.Join(filepath.Dir(file), filepath.Base(file)[len("2006-01-02-"):][:8])
			if byRun[run] != nil {
				s = byRun[run]
			}
			byRun[run] = s
		}
		if len(s.Files) == 0 {
			sessions = append(sessions, s)
		}
		s.Files = append(s.Files, file)
		s.Exchanges = append(s.Exchanges, exchanges...)
	}
	for _, s := range sessions {
		slices.SortStableFunc(s.Exchanges, func(a, b *Exchange) int {
			return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(number(a.ID), number(b.ID)))
		})
	}
	return sessions, nil
}

// number is the part of an id that counts.
func number(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:]) // another form has no order
	return n
}

// Read reads one file. A last line without its end is what a crash left, and is not read.
// captured says that the file is in the other format, of one {n, client, request, response}
// a line.
func Read(file string) (exchanges []*Exchange, captured bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && (len(line) == 0 || !json.Valid(line)) {
			return exchanges, captured, nil
		} else if err != nil && err != io.EOF {
			return nil, false, fmt.Errorf("%s: %w", file, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			x, other, bad := parse(line, len(exchanges))
			if bad != nil {
				return nil, false, fmt.Errorf("%s:%d: %w: %w", file, n, ErrFormat, bad)
			}
			if len(exchanges) > 0 && other != captured {
				return nil, false, fmt.Errorf("%s:%d: %w: the line is in another format than those before", file, n, ErrFormat)
			}
			x.Place = fmt.Sprintf("%s:%d", file, n)
			captured = other
			exchanges = append(exchanges, x)
		}
		if err == io.EOF {
			return exchanges, captured, nil
		}
	}
}

// parse reads a line of either format.
func parse(line []byte, index int) (x *Exchange, captured bool, err error) {
	var kind struct {
		Client  json.RawMessage `json:"client"`
		Request json.RawMessage `json:"request"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, false, err
	}
	if kind.Request != nil {
		x, err = parseCapture(line, index)
		return x, true, err
	}
	if len(kind.Client) == 0 || kind.Client[0] != '{' {
		return nil, false, errors.New("neither client nor request is there")
	}
	x = new(Exchange)
	return x, false, json.Unmarshal(line, x)
}

// capture is a line of the other format.
type capture struct {
	N       any    `json:"n"`
	Client  string `json:"client"`
	Request struct {
		Method  string   `json:"method"`
		Path    string   `json:"path"`
		Headers []Header `json:"headers"`
		Body    Text     `json:"body"`
	} `json:"request"`
	Response *struct {
		Status  int      `json:"status"`
		Headers []Header `json:"headers"`
		Chunks  []string `json:"chunks"`
		Body    *Text    `json:"body"`
	} `json:"response"`
}

// parseCapture makes an exchange of a capture: one that went upstream as the client sent
// it, with an order but no times.
func parseCapture(line []byte, index int) (*Exchange, error) {
	var c capture
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}
	x := &Exchange{
		ID:       fmt.Sprint(c.N),
		Start:    time.Unix(int64(index), 0).UTC(),
		Settings: Settings{Base: "/v1", AskUsage: "none", Tools: []string{}},
		Client:   Request{Method: c.Request.Method, Path: c.Request.Path, Body: c.Request.Body},
		Usage:    Usage{Outcome: "ok"},
	}
	x.Client.Headers = allowed(c.Request.Headers)
	path, _, _ := strings.Cut(c.Request.Path, "?")
	hop := Hop{At: 1, Request: Request{Method: c.Request.Method, Path: strings.TrimPrefix(path, "/v1"), Body: c.Request.Body}}
	if r := c.Response; r != nil {
		hop.Response = &Response{At: 2, Status: r.Status, EndAt: 3, End: EndWhole}
		hop.Response.Headers = allowed(r.Headers)
		for _, chunk := range r.Chunks {
			hop.Response.Chunks = append(hop.Response.Chunks, Chunk{3, []byte(chunk)})
		}
		if r.Body != nil {
			hop.Response.Chunks = append(hop.Response.Chunks, Chunk{3, r.Body.Bytes()})
		}
	} else {
		hop.Error = "the capture holds no response"
	}
	x.Upstream = []Hop{hop}
	x.Response = Response{EndAt: 4, End: EndWhole}
	return x, nil
}
