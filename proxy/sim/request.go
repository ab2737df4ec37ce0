package sim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Request is one generation request as a [Script] sees it. Its slices and maps
// are shared and not to be changed.
type Request struct {
	Number       int    // counts all requests of the server, from 1
	Conversation string // see Config.Conversation
	Ordinal      int    // counts the requests of the conversation, from 0
	Path         string
	Header       http.Header
	Body         []byte // exactly as received
	Model        string
	Stream       bool
	Items        []Item
	Tools        []json.RawMessage

	options      []string // raw values of parameters that templates render
	salt         string
	includeUsage bool
	noReasoning  bool // the protocol cannot tell it
}

// Item is one element of the conversation: a chat message, or a Responses item
// (function calls joined to the assistant message before them).
type Item struct {
	Role      string // system, developer, user, assistant, tool, or an item type
	Name      string
	Text      string // text parts joined; other parts as raw JSON
	Reasoning string
	Calls     []Call
	CallID    string // in a tool result: the call that it answers
	Raw       json.RawMessage

	markers markers
}

// Call is one tool call of an assistant item.
type Call struct {
	ID        string
	Name      string
	Arguments string // verbatim
}

// leading returns how many items stand before history: the system messages at
// the start.
func leading(items []Item) int {
	n := 0
	for n < len(items) && isSystem(items[n].Role) {
		n++
	}
	return n
}

func isSystem(role string) bool { return role == "system" || role == "developer" }

func firstUserText(r Request) string {
	for _, it := range r.Items {
		if it.Role == "user" {
			return cut(it.Text, 256)
		}
	}
	return ""
}

// Marker returns a Config.Conversation that tells conversations apart by marks
// in their user texts: the mark that occurs in the latest user item wins, and
// within one item the first listed. Forks carry their parent's history, so the
// first user text cannot tell them apart. Without a mark the name is "".
func Marker(marks ...string) func(Request) string {
	return func(r Request) string {
		for i := len(r.Items) - 1; i >= 0; i-- {
			if r.Items[i].Role != "user" {
				continue
			}
			for _, m := range marks {
				if strings.Contains(r.Items[i].Text, m) {
					return m
				}
			}
		}
		return ""
	}
}

// RoundRobin is a Config.Pick that sends each request to the next replica, as a
// provider without affinity does.
func RoundRobin(r Request) int { return r.Number }

func byHeader(r Request) int {
	n, err := strconv.Atoi(r.Header.Get("X-Sim-Replica"))
	if err != nil {
		return 0
	}
	return n
}

// cut returns at most n bytes of s, ending at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
