package sim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

func TestSurface(t *testing.T) {
	const good = `{"model":"m","messages":[{"role":"user","content":"x"}]}`
	for name, tt := range map[string]struct {
		base, method, path, body string
		encoding                 string
		want                     int
	}{
		"default base":       {method: "POST", path: "/v1/chat/completions", body: good, want: 200},
		"with a query":       {method: "POST", path: "/v1/chat/completions?api-version=7", body: good, want: 200},
		"other base":         {base: "/api/paas/v4", method: "POST", path: "/api/paas/v4/chat/completions", body: good, want: 200},
		"base with a slash":  {base: "/v1/", method: "POST", path: "/v1/chat/completions", body: good, want: 200},
		"root base":          {base: "/", method: "POST", path: "/chat/completions", body: good, want: 200},
		"doubled base":       {method: "POST", path: "/v1/v1/chat/completions", body: good, want: 404},
		"wrong base":         {base: "/api", method: "POST", path: "/v1/chat/completions", body: good, want: 404},
		"wrong method":       {method: "GET", path: "/v1/chat/completions", want: 404},
		"unknown path":       {method: "POST", path: "/v1/embeddings", body: "{}", want: 404},
		"invalid JSON":       {method: "POST", path: "/v1/chat/completions", body: good[1:], want: 400},
		"no model":           {method: "POST", path: "/v1/chat/completions", body: strings.Replace(good, `"m"`, `""`, 1), want: 400},
		"no messages":        {method: "POST", path: "/v1/chat/completions", body: `{"model":"m","messages":[]}`, want: 400},
		"unknown role":       {method: "POST", path: "/v1/chat/completions", body: strings.Replace(good, "user", "usr", 1), want: 400},
		"compressed body":    {method: "POST", path: "/v1/chat/completions", body: good, encoding: "gzip", want: 415},
		"identity encoding":  {method: "POST", path: "/v1/chat/completions", body: good, encoding: "identity", want: 200},
		"unpaired tool call": {method: "POST", path: "/v1/chat/completions", body: strings.Replace(good, `"user"`, `"assistant","tool_calls":[{"id":"a"}]`, 1), want: 400},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, url := dial(t, sim.Config{Base: tt.base})
			req, err := http.NewRequest(tt.method, url+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.encoding != "" {
				req.Header.Set("Content-Encoding", tt.encoding)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.want {
				t.Fatalf("status %d, want %d", res.StatusCode, tt.want)
			}
			if tt.want == 200 {
				return
			}
			var e struct {
				Error struct{ Message, Type, Code string }
			}
			if err := json.NewDecoder(res.Body).Decode(&e); err != nil || e.Error.Message == "" || e.Error.Type != "invalid_request_error" {
				t.Errorf("error = %+v, %v", e, err)
			}
		})
	}
}
