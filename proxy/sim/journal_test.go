package sim_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

func TestRequestsAreKeptExactly(t *testing.T) {
	s, _, url := dial(t, sim.Config{})
	bodies := []string{" {\"messages\" :[{\"content\":\"\\u0061<b>\",\"role\":\"user\"}] ,\n\"model\":\"m\"}\n", "\xff\x00", ""}
	for _, b := range bodies {
		req, err := http.NewRequest("POST", url+"/v1/chat/completions?a=%2F", strings.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		req.Header["x-odd"] = []string{"1", "2"}
		req.Header.Set("Authorization", "Bearer secret")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	all := s.Requests()
	if len(all) != len(bodies) {
		t.Fatalf("%d requests kept, want %d", len(all), len(bodies))
	}
	for i, r := range all {
		if string(r.Body) != bodies[i] || r.Path != "/v1/chat/completions?a=%2F" || r.Number != i+1 || len(r.Header["X-Odd"]) != 2 || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("request %d = %+v", i, r)
		}
	}

	res, err := http.Get(url + "/sim/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "secret") {
		t.Error("a credential is shown")
	}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for i := 0; lines.Scan(); i++ {
		var r struct {
			Body   string
			Base64 string `json:"body_base64"`
			Prompt int    `json:"prompt_tokens"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Base64 != "" {
			b, err := base64.StdEncoding.DecodeString(r.Base64)
			if err != nil {
				t.Fatal(err)
			}
			r.Body = string(b)
		}
		if r.Body != bodies[i] || r.Prompt != all[i].PromptTokens {
			t.Errorf("line %d = %+v", i, r)
		}
	}
	if n := len(s.Requests()); n != len(bodies) {
		t.Errorf("asking for the requests made %d of them", n)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	send := func(cfg sim.Config) []sim.Received {
		s, _, url := dial(t, cfg)
		for range 5 {
			post(t, url+"/v1/chat/completions", streamBody)
		}
		return s.Requests()
	}
	for _, all := range [][]sim.Received{send(sim.Config{KeepRequests: 2}), send(sim.Config{KeepBytes: 2*len(streamBody) + 1})} {
		if len(all) != 2 || all[1].Number != 5 {
			t.Errorf("kept %+v, want the last two", all)
		}
	}
}

func TestStatsOutside(t *testing.T) {
	s, _, url := dial(t, sim.Config{})
	post(t, url+"/v1/chat/completions", streamBody)
	if err := s.Await(t.Context(), func(st sim.Stats) bool { return st.InFlight == 0 }); err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(url + "/sim/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var st sim.Stats
	if err := json.NewDecoder(res.Body).Decode(&st); err != nil {
		t.Fatal(err)
	}
	if want := s.Stats(); st.Requests != 1 || st.PromptTokens != want.PromptTokens || st.PromptTokens == 0 || len(st.Replicas) != 1 {
		t.Errorf("stats = %+v, want %+v", st, want)
	}
}
