package demo

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"trunkline/proxy/sim"
)

// The simulated provider's pace: that of a large model on a small machine.
const (
	Prefill    = 100 * time.Microsecond // for each token that is not cached
	eventDelay = 4 * time.Millisecond
)

// SimulatedModel is the model of the simulated provider.
const SimulatedModel = "sim-1"

// Simulated is a provider with a prefix cache whose model plays its part in the
// story, and does what [sim.Echo] does for anybody else.
func Simulated() http.Handler {
	return sim.New(sim.Config{Script: play, PrefillPerToken: Prefill, EventDelay: eventDelay})
}

// play answers the latest prompt of the story by the step that the turn is in.
func play(r sim.Request) sim.Answer {
	step := 0
	for _, it := range slices.Backward(r.Items) {
		switch it.Role {
		case "assistant":
			step++
		case "user":
			if steps := part(it.Text); steps != nil {
				return steps[min(step, len(steps)-1)]
			}
		}
	}
	return sim.Echo(r)
}

// part returns the answers of the turn that a prompt of the story opens.
func part(prompt string) []sim.Answer {
	switch {
	case strings.Contains(prompt, task):
		return []sim.Answer{
			{Text: "I will read it again.", Calls: []sim.Call{{Name: "read_file", Arguments: `{"path":"table.go"}`}}},
			{Calls: []sim.Call{{Name: "send_message", Arguments: `{"agent_id":"parent","message":"table.go: the columns stay aligned. What was not reported is printed as one dash, and align counts characters, not bytes. A figure of a million gets a second comma and widens its column; nothing is cut."}`}}},
			{Text: "The columns stay aligned. The parent has the details."},
		}
	case strings.Contains(prompt, extraTask):
		return []sim.Answer{
			{Calls: []sim.Call{{Name: "send_message", Arguments: `{"agent_id":"child","message":"Look also at figures of a million and more: does a column cut them?"}`}}},
			{Text: "I have told it."},
		}
	case strings.Contains(prompt, resultAsk):
		return []sim.Answer{{Text: "That the columns stay aligned, with missing figures and with large ones. It has finished."}}
	case strings.Contains(prompt, question):
		return []sim.Answer{{Text: "wire.go. The table prints what wire.go has read from the provider's answers, so a wrong figure is either reported so or read wrongly there. table.go comes second: it only subtracts and formats."}}
	}
	return nil
}
