package proxy_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trunkline/prefix"
	"trunkline/tools"
)

// choosy refuses a request with poison in it, and answers any other one.
func choosy(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if strings.Contains(string(raw), "poison") {
			reply(400, "application/json", `{"error":{"message":"no"}}`)(w, r)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		answer(w, r)
	}
}

// family is a root and its fork kid, to which it sends messages.
func (e *edge) family() {
	e.t.Helper()
	e.post(body("s", "", "", prompt("1")), "X-Agent-Id", "root").ok(e.t)
	e.must(201, "POST", "/agents", `{"id":"kid","parent_id":"root"}`)
}

func (e *edge) tellKid(message string) {
	e.t.Helper()
	e.must(202, "POST", "/agents/kid/messages", `{"from":"root","message":"`+message+`"}`)
}

// last returns the request that the provider got last.
func (e *edge) last() received {
	sent := e.sent()
	return sent[len(sent)-1]
}

// TestRefusedMessageInATask: where roles have to alternate, a child's task bears the message
// that the provider refuses. Only the message goes: the task keeps the child's own system
// text and the instruction to report, and goes up like that from then on.
func TestRefusedMessageInATask(t *testing.T) {
	for name, content := range map[string]string{
		"text": `"look here%"`, "parts": `[{"type":"text","text":"look here"},{"type":"image_url","image_url":{"url":"x"}}%]`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, choosy(reply(200, "application/json", saidJSON("yes"))), withTools, profile(t, "vllm-alternating"))
			e.family()
			e.tellKid("poison")
			own := `{"role":"user","content":` + strings.Replace(content, "%", "", 1) + `}`
			e.post(body("Only look.", "", "", own), "X-Agent-Id", "kid").ok(t)
			guidance := strings.Trim(string(prefix.Quote(tools.Guidance("root"))), `"`)
			task := prompt(`Only look.\n\nlook here` + guidance)
			if name == "parts" {
				task = `{"role":"user","content":[{"type":"text","text":"Only look.\n\n"},` + strings.Replace(content[1:], "%", `,{"type":"text","text":"`+guidance+`"}`, 1) + `}`
			}
			if got := e.last().items(t); len(got) != 3 || got[2] != task {
				t.Errorf("without the message went up %s, want %s", got, task)
			}
			e.post(body("Only look.", "", "", own, assistant("yes"), prompt("more")), "X-Agent-Id", "kid").ok(t)
			if got := e.last().items(t); len(got) != 5 || got[2] != task {
				t.Errorf("then %s", got)
			}
		})
	}
}

// TestRefusedMessageBesideAnother: of two messages in one item, one has been accepted before
// and moves along with it. Only the other one goes with the refusal.
func TestRefusedMessageBesideAnother(t *testing.T) {
	for name, c := range map[string]struct{ before, now []string }{
		"in the client's item": {[]string{prompt("a")}, []string{prompt("b")}},
		"in one of their own":  {[]string{prompt("a"), calling("c1", "look", "{}"), result("c1", "x")}, []string{prompt("a"), calling("c1", "look", "{}"), result("c1", "y")}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, choosy(script(
				reply(200, "application/json", saidJSON("yes")),
				reply(200, "application/json", saidJSON("yes")),
				abort(stream(said("half")[0])),
				reply(200, "application/json", saidJSON("yes")),
			)), withTools, profile(t, "vllm-alternating"))
			e.family()
			history := []string{prompt("task"), assistant("yes")}
			kid := func(items ...string) answer {
				return e.post(body("", "", `,"stream":true`, append(slices.Clip(history), items...)...), "X-Agent-Id", "kid")
			}
			e.post(body("", "", "", history[0]), "X-Agent-Id", "kid").ok(t)
			e.tellKid("keep this")
			if a := kid(c.before...); a.err == nil || strings.Count(string(e.last().body), "keep this") != 1 {
				t.Fatalf("error %v, %s", a.err, e.last().body)
			}
			e.tellKid("poison")
			kid(c.now...).ok(t)
			got := string(e.last().body)
			if strings.Count(got, "keep this") != 1 || strings.Contains(got, "poison") {
				t.Errorf("it went up as %s", got)
			}
			// The item that bore it is the client's own again, but for the other message.
			want := e.last().items(t)
			kid(append(slices.Clip(c.now), assistant("yes"), prompt("more"))...).ok(t)
			if items := e.last().items(t); !slices.Equal(items[:len(want)], want) || len(items) != len(want)+2 {
				t.Errorf("it goes on from\n%s with\n%s", want, items)
			}
		})
	}
}

// TestRetryBehindARefusedMessage: a step in the middle of an answer goes up without the
// message that was refused. When its answer breaks off, a retry goes on from there: what the
// steps before it have executed stands.
func TestRetryBehindARefusedMessage(t *testing.T) {
	called, told := make(chan struct{}), make(chan struct{})
	report := calls(`{"index":0,"id":"c1","type":"function","function":{"name":"send_message","arguments":"{\"agent_id\":\"root\",\"message\":\"progress\"}"}}`)
	e := newEdge(t, choosy(script(
		reply(200, "application/json", saidJSON("yes")),
		func(w http.ResponseWriter, r *http.Request) {
			called <- struct{}{}
			<-told
			stream(delta(report, "tool_calls"), done)(w, r)
		},
		abort(stream(said("half")[0])),
		stream(said("done")...),
	)), withTools)
	e.family()
	request := body("", "", `,"stream":true`, prompt("task"))
	ended := make(chan answer)
	r := e.request("POST", chat, strings.NewReader(request), "X-Agent-Id", "kid")
	go func() { ended <- e.send(r) }()
	<-called
	e.tellKid("poison")
	told <- struct{}{}
	if a := <-ended; a.err == nil {
		t.Fatalf("the answer did not break: %s", a.body)
	}
	before := e.last().items(t)
	e.post(request, "X-Agent-Id", "kid").ok(t)
	if got := e.last().items(t); !slices.Equal(got, before) || !strings.Contains(strings.Join(got, ""), `"role":"tool"`) {
		t.Errorf("the retry sends\n%s\nwant\n%s", got, before)
	}
	if n := len(e.sent()); n != 5 {
		t.Errorf("%d requests went up, want 5", n)
	}
	e.post(body("s", "", "", prompt("1"), assistant("yes"), prompt("2")), "X-Agent-Id", "root").ok(t)
	if got := string(e.last().body); strings.Count(got, "progress") != 1 {
		t.Errorf("the report went up as %s", got)
	}
}
