package tools

import (
	"fmt"
	"strings"
)

// Every text below is read by models and stands in prompt prefixes for good:
// golden tests pin them.

// Clean returns text fit to be inserted into a prompt: what is not valid UTF-8
// becomes U+FFFD. Text is cleaned once, when it is accepted, and stored clean:
// a provider would refuse it for ever after.
func Clean(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// Message returns the item that delivers a message to an agent. The sender
// stands in the text: providers refuse or ignore the name of a user message.
func Message(sender, text string) []byte {
	return userItem("Agent " + sender + " sent a message:\n" + text)
}

// MessageSource returns the metadata kept beside a message's item. It is never
// sent to a provider.
func MessageSource(sender string) []byte {
	return []byte(`{"kind":"agent-message","form":"relay","senderSessionId":` + string(quote(sender)) + `}`)
}

// maxClosing is how much of a closing message a notice carries, in bytes.
const maxClosing = 16 << 10

// Notice returns the item that tells a parent that its child settled. A closing
// message past 16 KiB is cut at a character, and says where the rest is.
func Notice(child, outcome, closing string) []byte {
	closing = Clean(closing)
	if strings.TrimSpace(closing) == "" {
		closing = "(no closing message)"
	}
	if len(closing) > maxClosing {
		closing = strings.ToValidUTF8(closing[:maxClosing], "") +
			"\n(cut at 16 KiB; the rest is in the transcript of agent " + child + ")"
	}
	return userItem("Agent " + child + " settled: " + outcome + ".\n" + closing)
}

// NoticeSource returns the metadata kept beside a notice's item. It is never
// sent to a provider.
func NoticeSource(child, outcome string) []byte {
	return []byte(`{"kind":"subagent-settled","form":"notice","senderSessionId":` + string(quote(child)) +
		`,"outcome":` + string(quote(outcome)) + `}`)
}

// Report returns the item that tells a sender what became of its messages; text is the
// whole sentence.
func Report(text string) []byte { return userItem(Clean(text)) }

// ReportSource returns the metadata kept beside a report's item, about messages to an
// agent. It is never sent to a provider.
func ReportSource(target string) []byte {
	return []byte(`{"kind":"agent-message-report","form":"notice","targetSessionId":` + string(quote(target)) + `}`)
}

// Guidance returns the instruction that follows a child's task, to be added to
// that item's text. It never stands in the head, which the child shares with
// its parent.
func Guidance(parent string) string {
	id := string(quote(parent))
	return "\n\nYou work as a subagent of the agent " + id + ". Before you finish, send it one self-contained result with " +
		SendMessage + " (agent_id " + id + "); it sees nothing else of your work. Send earlier findings as well when it can act on them. Sending does not end your turn."
}

// A Next says what happens to a message after it was accepted.
type Next string

const (
	ReadsNextStep  Next = "it will read it at its next step"                                        // the target is in a turn
	StartsTurn     Next = "it starts a new turn with it"                                            // idle or settled, run by the proxy
	WaitsForClient Next = "it waits for the agent's client and is read at the agent's next request" // idle or settled, run by a client
)

// Delivered returns the result of a send that was accepted.
func Delivered(target string, next Next) string {
	return "message delivered to agent " + target + "; " + string(next)
}

// Interrupted returns the result of an interrupt that was accepted.
func Interrupted(target string) string { return "interrupt requested for agent " + target }

// NotDelivered returns the result of a send that failed.
func NotDelivered(why string) string { return "Error: " + why + "; the message was not delivered." }

// NotInterrupted returns the result of an interrupt that failed.
func NotInterrupted(why string) string { return "Error: " + why + "; nothing was interrupted." }

// Refused returns the result of any other call that failed.
func Refused(why string) string { return "Error: " + why + "." }

// Unknown says why a target was not found, and names ids of the caller's own
// tree that are nearly the same. It is a why for the functions above.
func Unknown(target string, known []string) string {
	why := "no agent " + string(quote(target)) + " in your tree"
	if near := Near(target, known); len(near) > 0 {
		why += " (did you mean " + strings.Join(near, ", ") + "?)"
	}
	return why
}

// A Listed is one agent of a list.
type Listed struct {
	ID     string
	Status string // running, idle or ready
	Label  string
	Parent string // direct parent, printed with the depth in a list of descendants
	Depth  int    // 1 for a child of the caller

	// Diagnostic is set instead of a status for an agent whose record cannot be
	// read.
	Diagnostic string
}

// maxListed is how many agents a list names: a model reads all of it.
const maxListed = 200

// List returns the result of list_agents: one line for each agent, in the
// given order. Of more than 200 agents it names the first 200, and says how
// many more there are.
func List(agents []Listed, scope Scope) string {
	if len(agents) == 0 {
		return "(no subagents)"
	}
	shown := agents[:min(len(agents), maxListed)]
	lines := make([]string, len(shown))
	for i, a := range shown {
		lines[i] = a.line(scope)
	}
	if more := len(agents) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("(%d more not listed)", more))
	}
	return strings.Join(lines, "\n")
}

func (a Listed) line(scope Scope) string {
	if a.Diagnostic != "" {
		return fmt.Sprintf("%s [diagnostic: %s]", a.ID, a.Diagnostic)
	}
	where, label := "", a.Label
	if scope == Descendants {
		where = fmt.Sprintf(" parent=%s depth=%d", a.Parent, a.Depth)
	}
	if label == "" {
		label = "(no label)"
	}
	return fmt.Sprintf("%s [%s]%s — %s", a.ID, a.Status, where, label)
}

// Result returns the item that answers a call.
func Result(callID, content string) []byte {
	return []byte(`{"role":"tool","tool_call_id":` + string(quote(callID)) + `,"content":` + string(quote(content)) + `}`)
}

func userItem(content string) []byte {
	return []byte(`{"role":"user","content":` + string(quote(content)) + `}`)
}
