package record_test

import (
	"context"
	"net/http"
	"strings"

	"trunkline/proxy/sim"
)

func text(s string) sim.Answer { return sim.Answer{Text: s} }

func calls(c ...sim.Call) sim.Answer { return sim.Answer{Calls: c} }

func picks(it string) sim.Call { return sim.Call{Name: "pick", Arguments: `{ "it": "` + it + `" }`} }

func sends(to, message string) sim.Call {
	return sim.Call{Name: "send_message", Arguments: `{"agent_id":"` + to + `","message":"` + message + `"}`}
}

// flows are the stories that our recordings tell.
func flows() map[string]flow {
	return map[string]flow{
		"anonymous":  anonymous(),
		"compaction": compaction(),
		"fork":       fork(),
		"mixed":      mixed(),
		"resume":     resume(),
		"retry":      retry(),
		"settle":     settle(),
		"steer":      steer(),
	}
}

// anonymous: what is only relayed, also with an error and other paths.
func anonymous() flow {
	return flow{
		said: map[string][]sim.Answer{"nobody": {
			calls(picks("a")), text("Done é."), {Fail: &sim.Failure{Status: 429}}, text("Again."),
		}},
		tell: func(s *stage) {
			a := s.root("")
			a.header = map[string]string{"User-Agent": "nobody", "Authorization": "Bearer sk-of-nobody"}
			a.turn("pick a")
			a.user("again").send() // 429
			a.stream = false
			a.step()
			resp, err := http.Get(s.url + "/v1/models?limit=2&key=secret")
			if err != nil {
				s.t.Fatal(err)
			}
			s.asked++
			resp.Body.Close()
		},
	}
}

// fork: children and a grandchild begin with what their parents sent.
func fork() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root":  {calls(picks("one")), text("One is picked."), text("Go on.")},
			"kid":   {calls(picks("two"), picks("three")), text("Two and three."), text("Yes.")},
			"twin":  {text("Nothing to do.")},
			"grand": {text("Small.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("pick one")
			kid := s.fork("kid", "root")
			kid.turn("pick two and three")
			twin := s.fork("twin", "root")
			twin.stream = false
			twin.turn("look around")
			kid.turn("sure?")
			s.fork("grand", "kid").turn("be small")
			root.turn("what now?")
		},
	}
}

// mixed: an answer that calls the client's tool and ours; and one that calls only ours.
func mixed() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root": {text("Ready."), calls(picks("x"), sends("kid", "take y"), picks("z")), text("Sent."),
				calls(sim.Call{Name: "list_agents", Arguments: `{"scope":"descendants"}`}), text("One child.")},
			"kid": {calls(picks("w")), text("All of it.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("get ready")
			kid := s.fork("kid", "root")
			kid.user("pick w").step()
			root.turn("pick x and z, and tell the kid")
			for kid.step() {
			}
			root.turn("who is there?")
		},
	}
}

// steer: messages that come while a turn is open, also while its last answer is given.
func steer() flow {
	hold := make(chan struct{})
	return flow{
		said: map[string][]sim.Answer{
			"root": {text("Ready."), calls(sends("kid", "be quick")), text("Told it."), calls(sends("kid", "and be kind")), text("Told it again.")},
			"kid": {calls(picks("a")), {Text: "I was quick, was I not?", Gates: map[int]<-chan struct{}{2: hold}},
				text("And kind.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("get ready")
			kid := s.fork("kid", "root")
			kid.user("pick a").step()
			root.turn("tell it to be quick")
			resp, err := kid.post(s.t.Context())
			if err != nil {
				s.t.Fatal(err)
			}
			defer resp.Body.Close()
			var first [16]byte
			if _, err := resp.Body.Read(first[:]); err != nil { // its last answer has begun
				s.t.Fatal(err)
			}
			root.turn("tell it to be kind")
			close(hold)
			var r reply
			r.stream(s.t, resp.Body)
			kid.items = append(kid.items, r.item)
			if !strings.Contains(r.item, "quick") || !strings.Contains(r.item, "And kind.") {
				s.t.Fatalf("the kid's answer is %s", r.item)
			}
		},
	}
}

// settle: a child reports, ends, and its parent reads the report and the notice.
func settle() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root": {text("Ready."), text("I have read both.")},
			"kid":  {calls(sends("root", "found: é \\\"x\\\"")), text("Done with it.")},
			"mute": {{Text: "Cut o", Finish: "length"}},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("get ready")
			s.fork("kid", "root").turn("find it")
			s.fork("mute", "root").turn("be silent")
			root.turn("what is new?")
		},
	}
}

// resume: a settled child gets a message and goes on with it, and settles again.
func resume() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root": {text("Ready."), calls(sends("kid", "one more thing")), text("Asked it."), text("Twice settled.")},
			"kid":  {text("Done."), text("Done once more.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("get ready")
			kid := s.fork("kid", "root")
			kid.turn("do it")
			root.turn("ask it for more")
			kid.step() // its own last answer: it asks what is pending
			root.turn("what is new?")
		},
	}
}

// retry: a client that leaves and comes again, before and after an answer of ours alone; a
// provider that fails, and one that breaks off.
func retry() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root": {
				text("Ready."),
				{Text: "This will be lost.", Break: &sim.Break{After: 2, How: sim.Silence}}, text("This will not."),
				calls(sends("kid", "once only")), {Text: "Half of it.", Break: &sim.Break{After: 2, How: sim.Silence}}, text("The whole of it."),
				{Fail: &sim.Failure{Status: 503}}, text("After the error."),
				{Text: "Broken off", Break: &sim.Break{After: 2, How: sim.Reset}}, text("After the break."),
			},
			"kid": {calls(picks("a")), text("Read it once.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("get ready")
			kid := s.fork("kid", "root")
			kid.user("pick a").step()
			root.user("speak").leave("This will")
			root.step()
			root.user("tell the kid and speak").leave("Half")
			root.step()
			kid.step()
			root.user("and now?").send()
			root.step()
			root.user("once more").breaks()
			root.step()
		},
	}
}

// compaction: a client replaces its history by a summary, and goes on.
func compaction() flow {
	return flow{
		said: map[string][]sim.Answer{
			"root": {calls(picks("a")), text("A."), text("B."), text("The summary."), text("C."), text("D.")},
			"kid":  {text("From the summary.")},
		},
		tell: func(s *stage) {
			root := s.root("root")
			root.turn("pick a")
			root.turn("now b")
			full := append([]string(nil), root.items...)
			root.items, root.tools = append(root.items[:1:1], item("user", "Summarise: "+strings.Repeat("…", 9))), ""
			root.step() // beside the branch: it has no tools
			root.items, root.tools = append(full[:1:1], item("user", "What happened: a and b.")), pick
			root.turn("now c")
			root.turn("now d")
			s.fork("kid", "root").turn("what do you know?")
		},
	}
}

// leave sends the conversation and goes away once the answer holds some text.
func (a *actor) leave(after string) {
	a.t.Helper()
	ctx, cancel := context.WithCancel(a.t.Context())
	defer cancel()
	cancelled := a.model.Stats().Cancelled
	resp, err := a.post(ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for got := ""; !strings.Contains(got, after); {
		n, err := resp.Body.Read(buf)
		if err != nil {
			a.t.Fatal(err)
		}
		got += string(buf[:n])
	}
	cancel()
	resp.Body.Close()
	if err := a.model.Await(a.t.Context(), func(st sim.Stats) bool { return st.Cancelled > cancelled }); err != nil {
		a.t.Fatal(err)
	}
}

// breaks sends the conversation and gets an answer that breaks off.
func (a *actor) breaks() {
	a.t.Helper()
	resp, err := a.post(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	var r strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		r.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if strings.Contains(r.String(), "[DONE]") {
		a.t.Fatalf("the answer did not break: %s", r.String())
	}
}
