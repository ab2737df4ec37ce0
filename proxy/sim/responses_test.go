package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

type responsesAnswer struct {
	ID, Status string
	Output     []struct {
		Type, Name, Arguments string
		CallID                string `json:"call_id"`
		Content               []struct{ Type, Text string }
	}
	Usage struct {
		Input   int `json:"input_tokens"`
		Details *struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	}
}

func respond(t *testing.T, url, body string) responsesAnswer {
	t.Helper()
	status, got := post(t, url+"/v1/responses", body)
	var a responsesAnswer
	if err := json.Unmarshal([]byte(got), &a); err != nil || status != 200 {
		t.Fatalf("answer %d %s: %v", status, got, err)
	}
	return a
}

func TestResponsesToolLoopReusesThePrefix(t *testing.T) {
	_, _, url := dial(t, sim.Config{})
	prompt := "call pick {\"a\": 1}\ncall scan {}\nthen say " + words("done", 600)
	head := `{"model":"m","instructions":` + quote(words("system", 3000)) + `,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":` + quote(prompt) + `}]}`
	first := respond(t, url, head+"]}")
	if len(first.Output) != 2 || first.Output[0].Arguments != `{"a": 1}` || first.Output[1].Name != "scan" {
		t.Fatalf("output = %+v", first.Output)
	}
	for _, o := range first.Output {
		head += `,{"arguments":` + quote(o.Arguments) + `,"call_id":"` + o.CallID + `","name":"` + o.Name + `","type":"function_call"}`
	}
	for _, o := range first.Output {
		head += `,{"type":"function_call_output","call_id":"` + o.CallID + `","output":"fine"}`
	}
	second := respond(t, url, head+"]}")
	if len(second.Output) != 1 || !strings.HasPrefix(second.Output[0].Content[0].Text, "done and so on") {
		t.Fatalf("output = %+v", second.Output)
	}
	if computed := second.Usage.Input - second.Usage.Details.Cached; computed > 32 {
		t.Errorf("after the results %d of %d tokens were computed", computed, second.Usage.Input)
	}
	head += `,{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","annotations":[],"text":` + quote(second.Output[0].Content[0].Text) + `}]}`
	third := respond(t, url, head+`,{"role":"user","content":"thanks"}]}`)
	if computed := third.Usage.Input - third.Usage.Details.Cached; computed > 32 {
		t.Errorf("after the echo %d of %d tokens were computed", computed, third.Usage.Input)
	}
	if third.Output[0].Content[0].Text != "The user said: thanks" {
		t.Errorf("output = %+v", third.Output)
	}
}

func TestResponsesStream(t *testing.T) {
	_, _, url := dial(t, sim.Config{})
	_, got := post(t, url+"/v1/responses", `{"model":"m","stream":true,"input":`+quote("say hello out there, all of you\ncall pick {\"a\":1}")+`}`)
	var order []string
	var text, args string
	var last responsesAnswer
	for i, frame := range strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(frame, "\ndata: ")
		var e struct {
			Type     string
			Number   int `json:"sequence_number"`
			Delta    string
			Response responsesAnswer
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || !ok || name != "event: "+e.Type || e.Number != i {
			t.Fatalf("frame %d: %q: %v", i, frame, err)
		}
		switch e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.function_call_arguments.delta":
			args += e.Delta
		}
		if n := len(order); n == 0 || order[n-1] != e.Type {
			order = append(order, e.Type)
		}
		last = e.Response
	}
	want := "response.created response.in_progress " +
		"response.output_item.added response.content_part.added response.output_text.delta response.output_text.done response.content_part.done response.output_item.done " +
		"response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done response.output_item.done " +
		"response.completed"
	if s := strings.Join(order, " "); s != want {
		t.Errorf("events\n %s\nwant\n %s", s, want)
	}
	if text != "hello out there, all of you" || args != `{"a":1}` {
		t.Errorf("text %q, arguments %q", text, args)
	}
	if last.Status != "completed" || len(last.Output) != 2 || last.Usage.Input == 0 || last.Usage.Details == nil {
		t.Errorf("the completed response is %+v", last)
	}
}

func TestResponsesAreNotStored(t *testing.T) {
	_, _, url := dial(t, sim.Config{})
	if status, got := post(t, url+"/v1/responses", `{"model":"m","previous_response_id":"resp_1","input":"x"}`); status != 400 || !strings.Contains(got, "resp_1") {
		t.Errorf("answer %d %s", status, got)
	}
}
