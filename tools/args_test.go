package tools

import "testing"

func TestSendMessageArguments(t *testing.T) {
	for _, tt := range []struct{ in, id, message, err string }{
		{`{"agent_id":"b","message":"hi"}`, "b", "hi", ""},
		{`{"message":"hi","subagent_id":"b"}`, "b", "hi", ""},
		{`{"agent_id":"b","subagent_id":"b","message":"hi","extra":[1]}`, "b", "hi", ""},
		{`{"agent_id":null,"subagent_id":"b","message":"hi"}`, "b", "hi", ""},
		{`{"agent_id":"b","subagent_id":"c","message":"hi"}`, "", "", `"agent_id" and "subagent_id" differ`},
		{`{"agent_id":7,"message":"hi"}`, "", "", `"agent_id" is not a string`},
		{`{"agent_id":"b","message":{"text":"hi"}}`, "b", "", `"message" is not a string`},
		{`{"agent_id":"b"}`, "b", "", `"message" is missing`},
		{`{"agent_id":"b","message":""}`, "b", "", `"message" is empty`},
		{`{"message":"hi"}`, "", "", `"agent_id" is missing`},
		{`{"agent_id":"","message":"hi"}`, "", "", `"agent_id" is empty`},
		{`[]`, "", "", errNotObject.Error()},
		{`null`, "", "", errNotObject.Error()},
		{`{"agent_id":"b","message":"h`, "", "", errNotObject.Error()},
		{``, "", "", errNotObject.Error()},
	} {
		id, message, err := ParseSendMessage(tt.in)
		if id != tt.id || message != tt.message || reason(err) != tt.err {
			t.Errorf("%s: %q %q %v", tt.in, id, message, err)
		}
	}
}

func TestOtherArguments(t *testing.T) {
	if id, err := ParseInterruptAgent(`{"subagent_id":"b"}`); id != "b" || err != nil {
		t.Errorf("interrupt_agent: %q %v", id, err)
	}
	for in, want := range map[string]Scope{`{}`: Children, `{"scope":""}`: Children, `{"scope":"descendants"}`: Descendants} {
		if scope, err := ParseListAgents(in); scope != want || err != nil {
			t.Errorf("list_agents %s: %q %v", in, scope, err)
		}
	}
	if _, err := ParseListAgents(`{"scope":"all"}`); reason(err) != `"scope" must be one of ["children" "descendants"]` {
		t.Errorf("list_agents: %v", err)
	}
	got, err := ParseSubagent(`{"description":"d","prompt":"p"}`)
	if want := (SubagentCall{"d", "p", "fork"}); got != want || err != nil {
		t.Errorf("subagent: %+v %v", got, err)
	}
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
