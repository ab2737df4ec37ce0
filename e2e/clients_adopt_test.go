package e2e

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"trunkline/e2e/harness"
	"trunkline/proxy/sim"
)

// adopted: with --adopt and no header of ours, a client's own headers name its conversation and
// those of its subagents, if it tells them, which are listed below it. What goes up only grows,
// the tools are in it, the client ends as it does without the proxy, and the recording replays.
func (s *stage) adopted(t *testing.T) {
	dir := t.TempDir()
	p := proxy.Serve(t, harness.Serve{Upstream: s.model.url, Args: []string{"--adopt", "--record=" + dir}})
	s.tap.to(t, p.URL)
	story := s.story("adopted")
	said, requests := []sim.Answer{calls(s.look("a")), text("Both seen.")}, []int{2}
	if s.subagents {
		said, requests = []sim.Answer{
			calls(s.look("a")),
			calls(s.subagent("look at c")),
			calls(s.look("c")), // the subagent's
			text("c is green."),
			text("Both seen."),
		}, []int{3, 2}
	}
	s.said.add(story, said...)
	got := s.must(t, turn{Name: story, System: system, Prompt: "look at a and c"})
	if left := s.said.left(story); got != "Both seen." || left != 0 {
		t.Errorf("the client ends with %q, and has not asked for %d answers", got, left)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/agents", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer none") // the client's own: agents are its tenant's
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Parent string `json:"parent_id"`
			Mode   string `json:"mode"`
		} `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if len(list.Data) != len(requests) || list.Data[0].Parent != "" {
		t.Fatalf("the agents are %+v, want %d, a root first", list.Data, len(requests))
	}
	for _, a := range list.Data[1:] {
		if a.Parent != list.Data[0].ID || a.Mode != "spawn" {
			t.Errorf("the subagent is %+v, want a spawn below %s", a, list.Data[0].ID)
		}
	}
	byAgent := map[string][]received{} // id → its conversation
	for _, r := range s.model.Requests() {
		if r.Header.Get("X-Story") == story {
			if got := parse(t, string(r.Body)); !strings.Contains(got.raw, besides) {
				byAgent[r.Header.Get(s.names)] = append(byAgent[r.Header.Get(s.names)], got)
			}
		}
	}
	for i, n := range requests {
		got := byAgent[list.Data[i].ID]
		if len(got) != n {
			t.Fatalf("the provider got %d requests of agent %d, want %d", len(got), i, n)
		}
		grows(t, got)
		if names := toolNames(t, got[0]); !strings.HasSuffix(names, " send_message interrupt_agent list_agents") {
			t.Errorf("agent %d has the tools %s", i, names)
		}
	}
	p.Stop(t)
	if out, err := exec.Command(string(proxy), "replay", dir).CombinedOutput(); err != nil {
		t.Errorf("the recording does not replay: %v\n%s", err, out)
	}
}

// subagent is the model's call of the client's own tool that starts one.
func (s *stage) subagent(task string) sim.Call {
	arguments, err := json.Marshal(map[string]string{"description": "Looks", "prompt": task, "subagent_type": "general"})
	if err != nil {
		panic(err) // strings always marshal
	}
	return call("task", string(arguments))
}
