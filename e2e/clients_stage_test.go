package e2e

import (
	"net/http"
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// stage is where one client plays its stories: with the provider itself, or with
// the proxy before it.
type stage struct {
	realClient
	driver
	said  *script
	model *provider
	proxy *harness.Proxy
	tap   *tap
}

// story names an agent's conversation in one of the client's stories.
func (s *stage) story(name string) string {
	return strings.NewReplacer("/", ".", "@", "").Replace(s.name) + "." + name
}

func (s *stage) straight(t *testing.T) { s.tap.to(t, strings.TrimSuffix(s.model.url, "/v1")) }
func (s *stage) through(t *testing.T)  { s.tap.to(t, s.proxy.URL) }

// work is a turn with a text before a call, a call, and two calls at once; then
// one that is handed to a child; then, if the client can, one that it hands over.
// It returns the last texts, and fails the test if one is an error.
func (s *stage) work(t *testing.T, name string, identified bool, kid ...sim.Answer) (root, child string, texts []string) {
	t.Helper()
	root, child = s.story(name), s.story(name+"-kid")
	s.said.add(root,
		sim.Answer{Text: "Let me look. ", Calls: []sim.Call{s.look("a")}},
		calls(s.look("b"), s.look("d")),
		text("Both seen — \"a\" & b."),
		calls(s.delegate(child, "look at c")),
		text("Thanks."),
	)
	s.said.add(child, kid...)
	for _, prompt := range []string{"look at a and b", "let somebody look at c"} {
		texts = append(texts, s.must(t, turn{Name: root, Identified: identified, System: system, Prompt: prompt}))
	}
	if s.handoff != "" {
		s.said.add(root, calls(call(s.handoff, `{}`)), text("Closed."))
		texts = append(texts, s.must(t, turn{Name: root, Identified: identified, System: system, Prompt: "close it"}))
	}
	for _, story := range []string{root, child} {
		if left := s.said.left(story); left != 0 {
			t.Errorf("%d answers of %s were not asked for", left, story)
		}
	}
	return root, child, texts
}

func (s *stage) must(t *testing.T, turn turn) string {
	t.Helper()
	text, failure := s.ask(t, turn)
	if failure != nil {
		t.Fatalf("%q fails: %v", turn.Prompt, failure)
	}
	return text
}

// finals are the last texts of work.
func (s *stage) finals() string {
	finals := []string{"Both seen — \"a\" & b.", "Thanks."}
	if s.handoff != "" {
		finals = append(finals, "Closed.")
	}
	return strings.Join(finals, "|")
}

// direct keeps the stories honest: this is what the client does without the proxy.
func (s *stage) direct(t *testing.T) {
	s.straight(t)
	_, _, texts := s.work(t, "direct", false, calls(s.look("c")), text("Done."))
	if got := strings.Join(texts, "|"); got != s.finals() {
		t.Errorf("the client ends with %q, want %q", got, s.finals())
	}
}

// transparent: without identity headers, the provider gets the client's own bytes,
// and the client ends as it does without the proxy.
func (s *stage) transparent(t *testing.T) {
	s.through(t)
	root, child, texts := s.work(t, "transparent", false, calls(s.look("c")), text("Done."))
	if got := strings.Join(texts, "|"); got != s.finals() {
		t.Errorf("the client ends with %q, want %q", got, s.finals())
	}
	for _, story := range []string{root, child} {
		s.sameBytes(t, story)
	}
}

// sameBytes fails the test unless the provider got a story's requests as the
// client sent them.
func (s *stage) sameBytes(t *testing.T, story string) {
	t.Helper()
	var got []sent
	for _, r := range s.model.Requests() {
		if r.Header.Get("X-Story") != story {
			continue
		}
		got = append(got, sent{r.Path, string(r.Body)})
		for _, header := range []string{"X-Agent-Id", "X-Agent-Parent-Id"} {
			if r.Header.Get(header) != "" {
				t.Errorf("the provider is sent %s", header)
			}
		}
	}
	want := s.tap.requests(story)
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: the provider got %d requests of the client's %d", story, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: request %d reached the provider as\n%s\nwant\n%s", story, i, got[i], want[i])
		}
	}
}

// identified: with identity headers, each agent's prompts grow at their ends alone;
// a fork begins with what its parent has sent, and the message that it sends is read
// by its parent in the middle of the parent's turn.
func (s *stage) identified(t *testing.T) {
	s.through(t)
	if s.relayed {
		root, child, texts := s.work(t, "identified", true, calls(s.look("c")), text("Done."))
		if got := strings.Join(texts, "|"); got != s.finals() {
			t.Errorf("the client ends with %q, want %q", got, s.finals())
		}
		s.sameBytes(t, root)
		s.sameBytes(t, child)
		return
	}
	parent := s.story("identified")
	root, child, texts := s.work(t, "identified", true,
		sim.Answer{Text: "On it. ", Calls: []sim.Call{tell(parent, "I look at c"), s.look("c")}},
		calls(tell(parent, "c is \"green\"")),
		text("Done."),
	)
	if got := strings.Join(texts, "|"); got != s.finals() {
		t.Errorf("the client ends with %q, want %q", got, s.finals())
	}
	lead, kid := s.conversation(t, root), s.conversation(t, child)
	if s.handoff != "" { // which replaces the head
		lead = lead[:len(lead)-1]
	}
	grows(t, lead)
	grows(t, kid)
	if len(lead) < 5 || len(kid) != 3 {
		t.Fatalf("the lead makes %d requests, the child %d; want at least 5, and 3", len(lead), len(kid))
	}
	lead[0].begins(t, kid[0])
	beginsItems(t, lead[2].items, kid[0].items)
	own := kid[0].items[len(lead[2].items):]
	if len(own) != 2 || !strings.Contains(own[0], "Both seen") || !strings.Contains(own[1], "look at c") {
		t.Errorf("the child goes on with %s, want its parent's last answer and the task", own)
	}
	read := strings.Join(lead[4].items[len(lead[3].items):], "\n")
	for _, want := range []string{
		"Agent " + child + ` sent a message:\nI look at c`,
		"Agent " + child + ` sent a message:\nc is \"green\"`,
		"Agent " + child + ` settled: completed.\nDone.`,
	} {
		_, behind, found := strings.Cut(read, want)
		if !found {
			t.Fatalf("the lead does not read %q, in its place, in\n%s", want, strings.Join(lead[4].items[len(lead[3].items):], "\n"))
		}
		read = behind
	}
}

// grows fails the test unless each request begins with the one before it.
func grows(t *testing.T, list []received) {
	t.Helper()
	for i := 1; i < len(list); i++ {
		list[i-1].begins(t, list[i])
	}
}

// conversation is what the provider got of a story, without the requests that are
// beside the conversation.
func (s *stage) conversation(t *testing.T, story string) (list []received) {
	t.Helper()
	for _, r := range s.model.received(t, story) {
		if !strings.Contains(r.raw, besides) {
			list = append(list, r)
		}
	}
	return list
}

// outcome is what a user sees of a turn, and what it took.
type outcome struct {
	text     string
	failed   bool
	requests int
}

// try takes a turn whose answers are those.
func (s *stage) try(t *testing.T, name string, identified bool, answers ...sim.Answer) outcome {
	t.Helper()
	story := s.story(name)
	s.said.add(story, answers...)
	text, failure := s.ask(t, turn{Name: story, Identified: identified, System: system, Prompt: "look at a"})
	t.Logf("%s: %d requests, %q, %v", name, len(s.tap.requests(story)), text, failure)
	return outcome{text, failure != nil, len(s.tap.requests(story))}
}

// alike takes the same turn without the proxy, through it, and through it as an
// agent, and fails the test unless all end alike.
func (s *stage) alike(t *testing.T, name string, answers ...sim.Answer) {
	s.straight(t)
	want := s.try(t, name+"-direct", false, answers...)
	s.through(t)
	if got := s.try(t, name, false, answers...); got != want {
		t.Errorf("through the proxy: %+v, want %+v as without it", got, want)
	}
	s.sameBytes(t, s.story(name))
	if got := s.try(t, name+"-identified", true, answers...); got != want {
		t.Errorf("as an agent: %+v, want %+v as without the proxy", got, want)
	}
	if story := s.story(name + "-identified"); s.relayed {
		s.sameBytes(t, story)
	} else {
		grows(t, s.conversation(t, story))
	}
}

// cut: a stream that breaks in its middle.
func (s *stage) cut(t *testing.T) {
	s.alike(t, "cut",
		calls(s.look("a")),
		sim.Answer{Text: "This text is cut in its middle, behind a few events.", Break: &sim.Break{After: 3, How: sim.Reset}},
		text("Whole again."))
}

// throttled: a provider that asks for patience, once.
func (s *stage) throttled(t *testing.T) {
	s.alike(t, "throttled",
		calls(s.look("a")),
		sim.Answer{Fail: &sim.Failure{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}},
		text("Let in."))
}
