package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"

	"trunkline/proxy/sim"
)

// script holds what models are still to say: story → answers.
type script struct {
	mu    sync.Mutex
	lists map[string][]sim.Answer
}

// add gives a story its answers.
func (s *script) add(story string, answers ...sim.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists[story] = answers
}

// besides is how the requests begin that an application makes beside its
// conversation, in the name of the same agent.
const besides = "You are a title generator"

// next is the simulated provider's script.
func (s *script) next(r sim.Request) sim.Answer {
	if bytes.Contains(r.Body, []byte(besides)) {
		return text("A title")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.lists[r.Conversation]
	if len(list) == 0 {
		return sim.Answer{Fail: &sim.Failure{
			Status: http.StatusBadRequest,
			Body:   fmt.Sprintf(`{"error":{"message":"the story %s is over","type":"invalid_request_error"}}`, r.Conversation),
		}}
	}
	s.lists[r.Conversation] = list[1:]
	return list[0]
}

// left is the number of answers that nobody asked for.
func (s *script) left(story string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lists[story])
}
