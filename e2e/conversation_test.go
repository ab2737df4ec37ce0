package e2e

import (
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

const system = "You are careful.\n\nLook at things before you speak of them. <é & \"quotes\">"

// conversation is a dialogue of two turns with parallel calls, text before calls,
// and arguments that no library would write so itself.
func conversation() lines {
	return lines{"root": {
		calls(call("look", `{"at":"a"}`), call("look", `{ "at" : "b" }`)),
		{Text: "Once more.", Calls: []sim.Call{call("look", `{"at":"c \u00e9"}`)}},
		text("I saw all three."),
		calls(call("look", `{"at":"d"}`)),
		text("And the fourth. \n"),
	}}
}

var prompts = []string{"look at a, b and c", "now d"}

// talk has the conversation with whoever serves at url.
func talk(t *testing.T, a app, turn turn) (replies []reply) {
	t.Helper()
	turn.Name, turn.System = "root", system
	for i, prompt := range prompts {
		turn.First, turn.Prompt = i == 0, prompt
		replies = append(replies, a.ask(t, turn))
	}
	return replies
}

// TestAnonymousClient: whoever says nothing of agents is as good as connected to the
// provider: the same bytes up, the same conversation in the end.
func TestAnonymousClient(t *testing.T) {
	everyApp(t, func(t *testing.T, a app, way string) {
		direct, behind := startProvider(t, conversation()), startProvider(t, conversation())
		p := proxy.Serve(t, harness.Serve{Upstream: behind.url})

		want := talk(t, a, turn{URL: direct.url, Way: way})
		got := talk(t, a, turn{URL: p.URL + "/v1", Way: way})
		sameReplies(t, got, want)

		sent, passed := direct.received(t, "root"), behind.received(t, "root")
		if len(sent) != 5 || len(passed) != len(sent) {
			t.Fatalf("%d requests passed of %d, want 5", len(passed), len(sent))
		}
		for i := range sent {
			if passed[i].raw != sent[i].raw {
				t.Errorf("request %d: passed\n%s\nsent\n%s", i, passed[i].raw, sent[i].raw)
			}
		}
	})
}

// TestIdentifiedClient: with X-Agent-Id the application has the same conversation, and
// what goes upstream only ever grows.
func TestIdentifiedClient(t *testing.T) {
	everyApp(t, func(t *testing.T, a app, way string) {
		everyStore(t, func(t *testing.T, empty func() string) {
			direct, behind := startProvider(t, conversation()), startProvider(t, conversation())
			p := proxy.Serve(t, harness.Serve{Upstream: behind.url, Store: empty()})

			want := talk(t, a, turn{URL: direct.url, Way: way})
			got := talk(t, a, turn{URL: p.URL + "/v1", Way: way, Identified: true})
			sameReplies(t, got, want)

			steps := behind.appendOnly(t, "root")
			if len(steps) != 5 {
				t.Fatalf("%d requests, want 5", len(steps))
			}
			names := toolNames(t, steps[0])
			if want := "look delegate send_message interrupt_agent list_agents"; names != want {
				t.Errorf("the model sees the tools %s, want %s", names, want)
			}
		})
	})
}

func sameReplies(t *testing.T, got, want []reply) {
	t.Helper()
	for i := range want {
		if got[i].Text != want[i].Text {
			t.Errorf("turn %d ends with %q, want %q", i, got[i].Text, want[i].Text)
		}
		if string(got[i].Messages) != string(want[i].Messages) {
			t.Errorf("turn %d leaves the conversation\n%s\nwant\n%s", i, got[i].Messages, want[i].Messages)
		}
	}
	if want := "And the fourth."; !strings.HasPrefix(got[1].Text, want) {
		t.Errorf("the conversation ends with %q, want %q", got[1].Text, want)
	}
}
