package e2e

import "testing"

// TestTitleFirst: an application asks for a conversation's title before the conversation
// itself, under the same id and without tools. That request leaves nothing in the prompts
// that follow: the standard tools stand behind the client's own, as they do without it.
func TestTitleFirst(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Greetings"), text("Hello."), text("Bye.")}})
		title := w.root("root")
		title.tools, title.items = "", []string{message("system", "Find a title.")}
		title.say(t, "Find a title for: hello")

		root := w.root("root")
		root.say(t, "hello")
		root.say(t, "bye")
		list := w.model.received(t, "root")
		list[1].begins(t, list[2])
		if got, want := toolNames(t, list[1]), "pick send_message interrupt_agent list_agents"; got != want {
			t.Errorf("the conversation has the tools %s, want %s", got, want)
		}
		if len(list[1].items) != 2 {
			t.Errorf("the conversation begins with %s", list[1].items)
		}
	})
}
