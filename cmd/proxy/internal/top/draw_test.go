package top

import (
	"strings"
	"testing"
	"unicode/utf8"

	"trunkline/prefix"
	"trunkline/proxy"
)

func request(prompt, reused, lost int64) proxy.StatusRequest {
	return proxy.StatusRequest{Prompt: prompt, Reused: prefix.Tokens(reused), Lost: lost, Sent: "2026-01-02T03:04:05.000Z", Relation: proxy.RelationFork, Cause: "none"}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		prompt, reused, lost int64
		want                 string
	}{
		{100, 100, 0, "██████████"},
		{100, 0, 0, "░░░░░░░░░░"},
		{100, 10, 90, "█▒▒▒▒▒▒▒▒▒"},
		{1000, 999, 0, "█████████░"},
		{1000, 0, 1, "░░░░░░░░░▒"},
		{0, 0, 0, "          "},
	} {
		if got := (Screen{}).bar(request(c.prompt, c.reused, c.lost), 10); got != c.want {
			t.Errorf("%d of %d reused, %d lost: %q, want %q", c.reused, c.prompt, c.lost, got, c.want)
		}
	}
}

func TestDraw(t *testing.T) {
	fork := request(8000, 7900, 0)
	fork.Agent = "fork\x1b[2J"
	naive := request(8000, 1000, 7000)
	naive.Cause, naive.Break = "tools_changed", "tools +report"
	st := proxy.Status{Provider: "sim", Requests: []proxy.StatusRequest{fork, naive}, Agents: []proxy.StatusAgent{
		{ID: "zoe", Status: "running", Turn: 2}, {ID: "fork\x1b[2J", Parent: "zoe", Status: "ready", Turn: 1, Inbox: 3},
	}}
	picture := strings.Join(Screen{Height: 30}.Draw(st), "\n")
	for _, want := range []string{"reused 55.6 %", "  zoe", "    fork?[2J", "inbox 3", "(anonymous)", "tools +report", "7000 tokens computed again"} {
		if !strings.Contains(picture, want) {
			t.Errorf("%q is missing:\n%s", want, picture)
		}
	}
	if strings.ContainsRune(picture, '\x1b') {
		t.Errorf("a control character of a client's reaches the terminal:\n%q", picture)
	}
	if strings.Index(picture, "zoe") > strings.Index(picture, "fork?") {
		t.Error("a child stands before its parent")
	}
}

// TestDrawTenants: two tenants may have agents of the same ids.
func TestDrawTenants(t *testing.T) {
	var st proxy.Status
	for _, tenant := range []string{"one", "two"} {
		st.Agents = append(st.Agents, proxy.StatusAgent{Tenant: tenant, ID: "child", Parent: "main"}, proxy.StatusAgent{Tenant: tenant, ID: "main"})
	}
	half := request(10, 5, 0)
	half.Tenant, half.Agent = "two", "child"
	st.Requests = append(st.Requests, half)
	var drawn []string
	for _, line := range (Screen{Height: 30}).Draw(st)[3:7] {
		drawn = append(drawn, strings.Fields(line)[0])
		if bar := strings.Contains(line, "█"); bar != (len(drawn) == 4) {
			t.Errorf("line %d, a bar: %t: %s", len(drawn), bar, line)
		}
	}
	if got := strings.Join(drawn, " "); got != "main child main child" {
		t.Errorf("the tree is %s", got)
	}
}

func TestDrawFits(t *testing.T) {
	var st proxy.Status
	for range 500 {
		st.Requests = append(st.Requests, request(10, 5, 0))
	}
	lines := Screen{Height: 24}.Draw(st)
	if len(lines) > 24 {
		t.Errorf("%d lines on a screen of 24", len(lines))
	}
	for _, l := range lines {
		if !utf8.ValidString(l) {
			t.Errorf("%q", l)
		}
	}
}
