package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// A way is how the children's requests are made.
type way int

const (
	asSent way = iota // by an application that sends the whole conversation, with no agent's id
	asFork            // as forks: a client sends its task, and the head that it would like
)

var ways = [...]way{asSent, asFork}

func (w way) String() string { return [...]string{asSent: "sent", asFork: "fork"}[w] }

// A kind is what a child has of its own ahead of its parent's history.
type kind struct {
	name, label string
}

var kinds = [...]kind{
	{"equal", "byte-equal"},
	{"tool", "child-only tool"},
	{"order", "reordered tools"},
	{"nonce", "nonce in system"},
}

// A family is a parent and its children, in one cell of the table. Its name is in its
// system prompt, so that no family shares a prefix with another.
type family struct {
	name  string
	model string
	size  int // tokens of the parent's prompt, about
	kind  kind
	way   way
}

// A request's body, as both ways send it.
type body struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Tools         []tool          `json:"tools,omitempty"`
	MaxTokens     int             `json:"max_tokens"`
	Stream        bool            `json:"stream"`
	StreamOptions map[string]bool `json:"stream_options"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// request returns a request with these messages behind the system prompt.
func (f family) request(system string, tools []tool, messages []message) body {
	return body{
		Model: f.model, Messages: append([]message{{"system", system}}, messages...), Tools: tools,
		MaxTokens: 8, Stream: true, StreamOptions: map[string]bool{"include_usage": true},
	}
}

// system returns the parent's system prompt.
func (f family) system() string {
	return "You are a careful agent of the family " + f.name + ".\n\n" + f.text("system", 150)
}

// tools returns the parent's tools.
func (f family) tools() []tool {
	var out []tool
	for _, name := range []string{"read_file", "write_file", "edit_file", "list_files", "search_text", "run_command", "read_output", "stop_command", "fetch_page", "update_plan"} {
		out = append(out, newTool(name, f.text(name, 12)))
	}
	return out
}

func newTool(name, description string) tool {
	return tool{"function", function{name, description,
		json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"What it is about."},"limit":{"type":"integer","description":"How much of it at most."}},"required":["path"]}`)}}
}

// conversation returns the parent's messages: turns of about a thousand tokens, of four
// bytes each, and a last question.
func (f family) conversation() []message {
	var out []message
	for size := 1000; size+500 < f.size; size += 1000 {
		turn := fmt.Sprint("turn ", len(out))
		out = append(out, message{"user", f.text(turn, 60)}, message{"assistant", f.text("answer to "+turn, 735)})
	}
	return append(out, message{"user", "What do we know by now?"})
}

// child returns the request of child i, which has its parent's answer behind it.
func (f family) child(i int, answer string) body {
	system, tools := f.system(), f.tools()
	switch f.kind.name {
	case "tool":
		tools = append(tools, newTool("report", "Report a finding to the parent agent."))
	case "order":
		tools = append(tools[3:], tools[:3]...)
	case "nonce":
		system = fmt.Sprintf("Session %08x. ", hash(f.name, i)) + system
	}
	task := message{"user", fmt.Sprintf("Task %d: %s", i, f.text("task", 30))}
	if f.way == asFork {
		return f.request(system, tools, []message{task})
	}
	return f.request(system, tools, append(f.conversation(), message{"assistant", answer}, task))
}

// words come to four bytes each with the space ahead of them, about.
var words = strings.Fields(`the of and to in is it for on with as that by this from or be are not at an if we can so all but when
	one which then only out up into more has will use over also them than each how what where after before two must same
	agent answer argument base block branch buffer build byte cache call check child client code commit config context copy
	count data default diff edge engine error event field file fork format handler head index input item key lease level limit`)

// text returns so many words, always the same under one name.
func (f family) text(name string, n int) string {
	random := rand.New(rand.NewPCG(hash(f.name, name), 0))
	out := make([]string, n)
	for i := range out {
		out[i] = words[random.IntN(len(words))]
	}
	return strings.Join(out, " ") + "."
}

func hash(parts ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, parts...)
	return h.Sum64()
}
