package api

import (
	"net/http"

	"trunkline/agents"
	"trunkline/tools"
)

// maxIdempotencyKey is the longest Idempotency-Key, in bytes.
const maxIdempotencyKey = 255

// postMessage is POST /agents/{id}/messages: a program sends as agent from, under the
// rules of that agent's own send_message.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, tenant string) error {
	var from, message string
	if err := s.arguments(r, map[string]any{"from": &from, "message": &message}); err != nil {
		return err
	}
	once := r.Header.Get("Idempotency-Key")
	switch {
	case from == "":
		return invalid("from", "is missing")
	case message == "":
		return invalid("message", "is missing")
	case len(once) > maxIdempotencyKey:
		return invalid("Idempotency-Key", "is longer than 255 bytes")
	case agents.CheckID(from) != nil:
		return unknownSender
	}
	key, err := agentKey(tenant, r)
	if err != nil {
		return err
	}
	receipt, err := s.Agents.SendAs(r.Context(), agents.Key{Tenant: tenant, ID: from}, key.ID, tools.Clean(message), once)
	if err != nil {
		if isNotFound(err) {
			return unknownSender
		}
		return err
	}
	return answer(w, http.StatusAccepted, struct {
		ID     string `json:"message_id"`
		Result string `json:"result"`
	}{receipt.MessageID, tools.Receipt(receipt)})
}

var unknownSender = &Error{Status: 404, Code: "unknown_agent", Param: "from", Message: "from: there is no such agent among those of this credential"}

// postInterrupt is POST /agents/{id}/interrupt, on the operator's word. An agent without
// an open turn has nothing to stop, and that is no error.
func (s *Server) postInterrupt(w http.ResponseWriter, r *http.Request, tenant string) error {
	if r.ContentLength != 0 {
		if err := s.arguments(r, nil); err != nil {
			return err
		}
	}
	key, err := agentKey(tenant, r)
	if err != nil {
		return err
	}
	if err := s.Agents.Stop(r.Context(), key); err != nil {
		return err
	}
	return answer(w, http.StatusAccepted, struct {
		Result string `json:"result"`
	}{tools.Interrupted(key.ID)})
}

// clientDriven refuses what only an agent can take whose loop the proxy runs.
func clientDriven(why string) *Error {
	return &Error{Status: 409, Code: "client_driven", Message: "the agent is driven by its client, " + why}
}

// postPrompt is POST /agents/{id}/prompts.
func (s *Server) postPrompt(w http.ResponseWriter, r *http.Request, tenant string) error {
	var content string
	if err := s.arguments(r, map[string]any{"content": &content}); err != nil {
		return err
	}
	if content == "" {
		return invalid("content", "is missing")
	}
	if _, err := s.pathAgent(tenant, r); err != nil {
		return err
	}
	return clientDriven("which sends the prompts")
}

// postToolOutputs is POST /agents/{id}/tool_outputs.
func (s *Server) postToolOutputs(w http.ResponseWriter, r *http.Request, tenant string) error {
	var outputs []struct {
		ID      string `json:"tool_call_id"`
		Content string `json:"content"`
	}
	if err := s.arguments(r, map[string]any{"outputs": &strict{&outputs}}); err != nil {
		return err
	}
	if len(outputs) == 0 {
		return invalid("outputs", "is missing")
	}
	if _, err := s.pathAgent(tenant, r); err != nil {
		return err
	}
	return clientDriven("which sends the results of its calls with its next request")
}
