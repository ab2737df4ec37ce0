package api_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page of the API names every call, and none that there is not.
func TestAPIPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	e := newEdge(t, okay)
	e.must(201, "POST", "/agents", `{"id":"r"}`)
	found := regexp.MustCompile("`(GET|POST|DELETE) (/agents(?:/{id}[a-z_/]*)?)`").FindAllStringSubmatch(string(page), -1)
	if len(found) != 12 {
		t.Fatalf("the page names the calls %q, want the twelve", found)
	}
	for _, call := range found {
		if strings.HasSuffix(call[2], "/events") {
			e.subscribe(t, "r", "")
			continue
		}
		path, body := strings.ReplaceAll(call[2], "{id}", "r"), ""
		if strings.HasSuffix(path, "/wait") {
			path += "?timeout=0s"
		}
		switch call[1] {
		case "POST":
			body = "{}"
		case "DELETE":
			path = "/agents/gone"
		}
		a := e.call(call[1], path, body)
		if code := a.Header.Get("X-Trunkline-Error"); code == "unknown_path" || code == "method_not_allowed" {
			t.Errorf("%s %s: %s", call[1], call[2], a.body)
		}
	}
}
