package sim_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

const streamBody = `{"stream":true,"model":"m1","messages":[{"role":"user","content":"hi"}]}`

func TestStreamFraming(t *testing.T) {
	_, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer {
		return sim.Answer{Text: "a<é>b", Piece: 3, Calls: []sim.Call{{ID: "c1", Name: "pick", Arguments: `{"a":1}`}, {Name: "scan"}}}
	}})
	res, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(streamBody))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	d := func(choice string) string {
		return `data: {"id":"chatcmpl-000001","object":"chat.completion.chunk","created":1700000001,"model":"m1","choices":[{"index":0,"delta":` + choice + "}]}\n\n"
	}
	want := d(`{"role":"assistant","content":""},"finish_reason":null`) +
		d(`{"content":"a<"},"finish_reason":null`) + d(`{"content":"é>"},"finish_reason":null`) + d(`{"content":"b"},"finish_reason":null`) +
		d(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"pick","arguments":""}}]},"finish_reason":null`) +
		d(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]},"finish_reason":null`) +
		d(`{"tool_calls":[{"index":0,"function":{"arguments":"\":1"}}]},"finish_reason":null`) +
		d(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":null`) +
		d(`{"tool_calls":[{"index":1,"id":"call_000001_1","type":"function","function":{"name":"scan","arguments":""}}]},"finish_reason":null`) +
		d(`{},"finish_reason":"tool_calls"`) + "data: [DONE]\n\n"
	if string(got) != want {
		t.Errorf("stream:\n%s\nwant:\n%s", got, want)
	}
}

func TestScriptedFramesAreVerbatim(t *testing.T) {
	frames := []string{": hello\n\n", "retry: 1000\n\n", "id: 7\ndata: {\"choices\":[]}\n\n", "data: {\"half"}
	_, _, url := dial(t, sim.Config{Script: func(sim.Request) sim.Answer { return sim.Answer{Frames: frames} }})
	if _, got := post(t, url+"/v1/chat/completions", streamBody); got != strings.Join(frames, "") {
		t.Errorf("stream = %q", got)
	}
}
