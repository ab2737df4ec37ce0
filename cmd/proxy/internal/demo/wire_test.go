package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trunkline/prefix"
)

// pass sends a request through a new wire to a provider that answers so.
func pass(t *testing.T, request string, answer ...string) *Wire {
	t.Helper()
	wire := NewWire(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != request {
			t.Errorf("the provider got %q, %v", got, err)
		}
		for _, piece := range answer {
			io.WriteString(w, piece)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}
	}))
	client := httptest.NewRecorder()
	wire.ServeHTTP(client, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(request)))
	if got, want := client.Body.String(), strings.Join(answer, ""); got != want {
		t.Errorf("the client got %q, want %q", got, want)
	}
	return wire
}

func TestWireReadsTheReport(t *testing.T) {
	wire := pass(t, `{}`, "data: {\"choices\":[]}\n\ndata: {\"usage\":{\"prompt_tokens\":9,", "\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n", "data: [DONE]\n\n")
	if u := wire.usage(0); u.Prompt != prefix.Tokens(9) || u.Cached != prefix.Tokens(4) {
		t.Errorf("usage %+v", u)
	}
	if u := wire.usage(1); u.Prompt.Known {
		t.Errorf("usage of a request that was not made: %+v", u)
	}
}

func TestWireFindsWhatModelsRead(t *testing.T) {
	wire := pass(t, `{"messages":[
		{"role":"assistant","tool_calls":[
			{"id":"a","function":{"name":"send_message","arguments":"{\"agent_id\":\"b1\",\"message\":\"m\"}"}},
			{"id":"b","function":{"name":"send_message","arguments":"not JSON"}}]},
		{"role":"tool","tool_call_id":"a","content":"delivered"},
		{"role":"tool","tool_call_id":"b","content":"Error"},
		{"role":"tool","content":"Agent b1 sent a message:\nin a file"},
		{"role":"user","content":"Agent b1 sent a message:\nhello"},
		{"role":"user","content":[{"type":"text","text":"parts"}]}]}`)
	if arguments, result, ok := wire.sent("b1"); !ok || result != "delivered" || !strings.Contains(arguments, `"m"`) {
		t.Errorf("sent: %q %q %v", arguments, result, ok)
	}
	if _, _, ok := wire.sent("b2"); ok {
		t.Error("found a message to an agent that got none")
	}
	if text, ok := wire.read("Agent b1 sent a message:"); !ok || text != "Agent b1 sent a message:\nhello" {
		t.Errorf("read: %q %v", text, ok)
	}
	if text, ok := wire.read("Agent b2 sent a message:"); ok {
		t.Errorf("read %q", text)
	}
}
