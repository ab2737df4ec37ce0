package tools

import "slices"

// Names of the standard tools.
const (
	SendMessage    = "send_message"
	InterruptAgent = "interrupt_agent"
	ListAgents     = "list_agents"
	Subagent       = "subagent"
)

// definitions holds the standard tools in the order in which they are sent.
// Every agent of a tree sends these bytes ahead of its history, so a change
// makes providers prefill each conversation once more. All fields are strings:
// providers differ least on them.
var definitions = [...]struct{ name, json string }{
	{SendMessage, `{"type":"function","function":{"name":"send_message","description":"Send a message to another agent. It works in both directions: from a parent to a subagent that it started, and from a subagent to its direct parent. No other agent can be reached. A running agent reads the message at its next step; otherwise the result says what happens next. Sending does not end your turn and does not wait for a reply: an answer arrives later as a message of its own.","parameters":{"type":"object","properties":{"agent_id":{"type":"string","description":"Id of the agent that gets the message: your direct parent, or a subagent of yours."},"message":{"type":"string","description":"The message. The receiver sees nothing else of your conversation, so make it self-contained."}},"required":["agent_id","message"],"additionalProperties":false}}}`},
	{InterruptAgent, `{"type":"function","function":{"name":"interrupt_agent","description":"Stop the current turn of a subagent, or of a subagent further down. Only that turn stops: the agent keeps its conversation and its waiting messages, its own subagents run on, and a later message starts a new turn. Interrupting an agent that has already finished does nothing.","parameters":{"type":"object","properties":{"agent_id":{"type":"string","description":"Id of the subagent to interrupt."}},"required":["agent_id"],"additionalProperties":false}}}`},
	{ListAgents, `{"type":"function","function":{"name":"list_agents","description":"List your subagents, one a line: <id> [running|idle|ready] — <label>. A running agent is in a turn, an idle one is between turns, a ready one has settled and can be resumed with a message.","parameters":{"type":"object","properties":{"scope":{"type":"string","enum":["children","descendants"],"description":"children (the default): the subagents that you started. descendants: theirs as well, each with parent=<id> depth=<n>."}},"required":[],"additionalProperties":false}}}`},
	{Subagent, `{"type":"function","function":{"name":"subagent","description":"Start a subagent that works on a task of its own beside you. The result gives its id at once; its findings arrive as messages, and a notice tells you when it has settled. Use send_message to tell it more.","parameters":{"type":"object","properties":{"description":{"type":"string","description":"What the subagent is for, in a few words. It is shown as its label."},"prompt":{"type":"string","description":"The task, complete: say what to do, what to report, and when to stop."},"context":{"type":"string","enum":["fork","fresh"],"description":"fork (the default): it starts with your conversation up to your last completed turn. fresh: it starts with the task alone."}},"required":["description","prompt"],"additionalProperties":false}}}`},
}

// Names returns the names of all standard tools in the order in which they are
// sent.
func Names() []string {
	names := make([]string, len(definitions))
	for i, d := range definitions {
		names[i] = d.name
	}
	return names
}

// Standard returns the definitions of the named standard tools, as elements of
// a request's tools, in their fixed order whatever the order of names. Other
// names are ignored: see [Names].
func Standard(names []string) [][]byte {
	var raw [][]byte
	for _, d := range definitions {
		if slices.Contains(names, d.name) {
			raw = append(raw, []byte(d.json))
		}
	}
	return raw
}
