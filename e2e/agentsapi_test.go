package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"trunkline/e2e/harness"
)

// ask makes a call of the agents API, with a key unless that is "", and returns the answer,
// whose body it has read.
func ask(t *testing.T, p *harness.Proxy, key, method, path, body string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response, raw
}

// api makes a call of the agents API, which has to be answered with status, and returns
// the answer.
func api(t *testing.T, p *harness.Proxy, status int, method, path, body string) map[string]any {
	t.Helper()
	response, raw := ask(t, p, "", method, path, body)
	if response.StatusCode != status {
		t.Fatalf("%s %s %s: %s %s, want %d", method, path, body, response.Status, raw, status)
	}
	out := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
	return out
}

// eventStream is an open stream of an agent's events.
type eventStream struct {
	t    *testing.T
	body io.ReadCloser
	read *bufio.Scanner
	last string // id of the last event
}

func openEvents(t *testing.T, p *harness.Proxy, id, last string) *eventStream {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/agents/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("events of %s: %v %v", id, response, err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return &eventStream{t: t, body: response.Body, read: bufio.NewScanner(response.Body)}
}

// until reads up to the event that has a name and holds a text, and returns the names of
// those before it.
func (s *eventStream) until(name, text string) (before []string) {
	s.t.Helper()
	var id, event string
	for s.read.Scan() {
		field, value, _ := strings.Cut(s.read.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			s.last = id
			if event == name && strings.Contains(value, text) {
				return before
			}
			before = append(before, event)
		}
	}
	s.t.Fatalf("the stream ends (%v) after %v, before %s %s", s.read.Err(), before, name, text)
	return nil
}

// TestAPIFamily: a program makes a child, sends to it in its parent's name, and follows it
// over a killed proxy; what stands in the transcript is what went upstream.
func TestAPIFamily(t *testing.T) {
	stories(t, func(t *testing.T, w *world) {
		w.serve(lines{"root": {text("Noted."), text("I see.")}, "kid": {text("Done.")}})
		root := w.root("root")
		root.say(t, "note this")
		api(t, w.proxy, 201, "POST", "/agents", `{"id":"kid","parent_id":"root","label":"looks at c"}`)
		api(t, w.proxy, 200, "POST", "/agents", `{"id":"kid","parent_id":"root","label":"looks at c"}`)

		events := openEvents(t, w.proxy, "kid", "")
		events.until("state", `"status":"ready"`)
		api(t, w.proxy, 202, "POST", "/agents/kid/messages", `{"from":"root","message":"mind the \"gap\" <é>"}`)
		events.until("message", `"from":"root"`)

		w.proxy.Kill()
		w.start()
		again := openEvents(t, w.proxy, "kid", events.last)
		if missed := again.until("state", `"next_step":1`); len(missed) != 0 {
			t.Errorf("after the kill the stream tells %v once more", missed)
		}
		w.fork("kid", "root").say(t, "look at c")
		again.until("settled", `"outcome":"completed"`)
		if state := api(t, w.proxy, 200, "GET", "/agents/kid/wait?timeout=1m", ""); state["status"] != "ready" || state["closing_message"] != "Done." {
			t.Errorf("the child is %v with %v", state["status"], state["closing_message"])
		}
		if state := api(t, w.proxy, 200, "GET", "/agents/root", ""); state["inbox"].(map[string]any)["next_step"] != 1.0 {
			t.Errorf("the parent's inbox is %v, want the notice", state["inbox"])
		}

		sent := w.model.last(t, "kid").items
		page := api(t, w.proxy, 200, "GET", "/agents/kid/transcript", "")["data"].([]any)
		if len(page) != len(sent)+1 {
			t.Fatalf("the transcript has %d items, %d went upstream", len(page), len(sent))
		}
		var origins []string
		for i, item := range page {
			entry := item.(map[string]any)
			origins = append(origins, entry["origin"].(string))
			if i < len(sent) && compact(t, entry["item"]) != compact(t, json.RawMessage(sent[i])) {
				t.Errorf("item %d is %v, and went upstream as %s", i, entry["item"], sent[i])
			}
		}
		if want := "client client answer task message answer"; strings.Join(origins, " ") != want {
			t.Errorf("the origins are %s, want %s", origins, want)
		}
		root.say(t, "and?")
		if reads := w.model.last(t, "root").items; !strings.Contains(strings.Join(reads, "\n"), `Agent kid settled: completed.\nDone.`) {
			t.Errorf("the parent reads %s", reads)
		}

		api(t, w.proxy, 204, "DELETE", "/agents/root", "")
		api(t, w.proxy, 204, "DELETE", "/agents/root", "")
		api(t, w.proxy, 404, "GET", "/agents/kid", "")
		again.until("deleted", `"kid"`)
	})
}

// compact is a value in one form, whatever the order of its members was.
func compact(t *testing.T, v any) string {
	t.Helper()
	if raw, ok := v.(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAPIOverTwoProxies: who listens at one proxy hears of what comes in at another.
func TestAPIOverTwoProxies(t *testing.T) {
	server := harness.StartRedis(t)
	model := startProvider(t, lines{"root": {text("Noted.")}})
	one := proxy.Serve(t, harness.Serve{Upstream: model.url, Store: server.Database(0)})
	two := proxy.Serve(t, harness.Serve{Upstream: model.url, Store: server.Database(0)})
	w := &world{t: t, model: model, proxy: one}
	w.root("root").say(t, "note this")
	api(t, two, 201, "POST", "/agents", `{"id":"kid","parent_id":"root"}`)

	events := openEvents(t, one, "kid", "")
	events.until("state", `"version":0`)
	api(t, two, 202, "POST", "/agents/kid/messages", `{"from":"root","message":"look"}`)
	events.until("message", `"from":"root"`)
	if state := api(t, one, 200, "GET", "/agents/kid/wait?after=0&timeout=1m", ""); state["inbox"].(map[string]any)["next_step"] != 1.0 {
		t.Errorf("the waiter sees %v", state)
	}
}
