package top

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"trunkline/prefix"
	"trunkline/proxy"
	"trunkline/proxy/api"
)

func request(prompt, reused, lost int64) api.StatusRequest {
	return api.StatusRequest{Prompt: prompt, Reused: prefix.Tokens(reused), Lost: lost, Sent: "2026-01-02T03:04:05.000Z", Relation: string(proxy.RelationFork), Cause: "none"}
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
	naive.Cause, naive.Break, naive.BreakCause = "unreported", "tools +report", "tools_changed"
	refused := api.StatusRequest{Cause: "none", Failed: "status 503", Sent: fork.Sent}
	st := api.Status{Provider: "sim", Requests: []api.StatusRequest{fork, naive, refused}, Agents: []api.StatusAgent{
		{ID: "zoe", Status: "running", Turn: 2}, {ID: "fork\x1b[2J", Parent: "zoe", Status: "ready", Turn: 1, Inbox: 3},
	}}
	picture := strings.Join(Screen{Height: 30}.Draw(st), "\n")
	for _, want := range []string{"reused 55.6 %", "  zoe", "    fork?[2J", "inbox 3", "(anonymous)", "tools_changed     tools +report", "7,000 computed again", "–       0 ms  status 503"} {
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

// TestDrawTenants: two tenants may have agents of the same ids, and are told apart wherever
// an agent is named. One tenant is not worth a word.
func TestDrawTenants(t *testing.T) {
	var st api.Status
	for _, tenant := range []string{"acme", "c-0123456789abcdef01234567"} {
		st.Agents = append(st.Agents, api.StatusAgent{Tenant: tenant, ID: "child", Parent: "main"}, api.StatusAgent{Tenant: tenant, ID: "main"})
	}
	half := request(10, 5, 0)
	half.Tenant, half.Agent, half.Break = "c-0123456789abcdef01234567", "child", "tools"
	st.Requests = append(st.Requests, half)
	lines := Screen{Height: 30}.Draw(st)
	var drawn []string
	for _, line := range lines[3:7] {
		drawn = append(drawn, strings.Join(strings.Fields(line)[:2], " "))
		if bar := strings.Contains(line, "█"); bar != (len(drawn) == 4) {
			t.Errorf("line %d, a bar: %t: %s", len(drawn), bar, line)
		}
	}
	if got := strings.Join(drawn, ", "); got != "main acme, child acme, main c-012345…, child c-012345…" {
		t.Errorf("the tree is %s", got)
	}
	if n := strings.Count(strings.Join(lines, "\n"), "child c-012345…"); n != 3 {
		t.Errorf("the agent, its request and its break say %d times whose they are:\n%s", n, strings.Join(lines, "\n"))
	}
	st.Agents = st.Agents[2:]
	if picture := strings.Join(Screen{Height: 30}.Draw(st), "\n"); strings.Contains(picture, "c-012345") {
		t.Errorf("the only tenant is named:\n%s", picture)
	}
}

// TestDrawFits: no line is longer than the screen is wide, whatever clients call their
// agents, and no picture is higher; each still has the latest request.
func TestDrawFits(t *testing.T) {
	var st api.Status
	st.Provider = "openai-breakpoint"
	for i := range 500 {
		r := request(12_345_678, 1_234_567, 8_000_000)
		r.Tenant, r.Agent, r.TTFT, r.Relation = "tenant", strings.Repeat("n", 128), 120_000, string(proxy.RelationContinuation)
		r.Cause, r.Break, r.BreakCause = prefix.CauseHistoryRewritten, strings.Repeat("tool ", 20), prefix.CauseHistoryRewritten
		st.Requests = append(st.Requests, r)
		if i < 100 {
			st.Agents = append(st.Agents, api.StatusAgent{Tenant: "tenant", ID: fmt.Sprint(strings.Repeat("n", 124), i), Parent: fmt.Sprint(strings.Repeat("n", 124), i-1),
				Label: strings.Repeat("label ", 13), Status: "running", Turn: 1234, Inbox: 64})
		}
	}
	st.Requests[499].Relation = string(proxy.RelationFork)
	for _, screen := range []Screen{{Width: 40, Height: 20}, {Width: 80, Height: 23}, {Width: 80, Height: 23, Color: true}, {Width: 110, Height: 30}, {Width: 200, Height: 49, Color: true}} {
		lines := screen.Draw(st)
		if len(lines) > screen.Height {
			t.Errorf("%d lines on a screen of %d", len(lines), screen.Height)
		}
		for _, l := range lines {
			shown := escapes.ReplaceAllString(l, "")
			if n := utf8.RuneCountInString(shown); n > screen.Width || !utf8.ValidString(l) {
				t.Errorf("%d characters on a screen of %d: %q", n, screen.Width, l)
			}
			if screen.Color && strings.Count(l, "\x1b[0m") != strings.Count(l, "\x1b[")/2 {
				t.Errorf("a colour is left on: %q", l)
			}
		}
		if picture := strings.Join(lines, "\n"); screen.Width >= 80 && (!strings.Contains(picture, " fork ") || !strings.Contains(picture, "12,345,678") || !strings.Contains(picture, "history_rewritten")) {
			t.Errorf("%+v lacks the latest request:\n%s", screen, picture)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

// TestDrawFitsWideCharacters: characters that take two columns, or none, neither make a line
// longer than the screen nor shift what stands behind them.
func TestDrawFitsWideCharacters(t *testing.T) {
	for _, label := range []string{"plain", "日本語の調査員", "한국어 요약", "🔎 search 🔎", "cafe\u0301 ne\u0301", strings.Repeat("長", 80), strings.Repeat("🔎", 80)} {
		st := api.Status{Agents: []api.StatusAgent{{ID: "a", Label: label, Status: "idle", Turn: 1}}}
		for _, width := range []int{20, 41, 80, 120} {
			line := Screen{Width: width, Height: 30}.Draw(st)[3]
			if n := length(line); n > width {
				t.Errorf("%d columns on a screen of %d: %s", n, width, line)
			}
			before, _, whole := strings.Cut(line, "idle")
			if want := min(max(width/3, 16), 44) + 3; whole && length(before) != want {
				t.Errorf("the status stands in column %d, not %d: %s", length(before), want, line)
			}
		}
	}
	for text, want := range map[string]int{"abc": 3, "日本": 4, "e\u0301": 1, "🔎": 2, "█░▒…–": 5} {
		if n := length(text); n != want {
			t.Errorf("%q takes %d columns, want %d", text, n, want)
		}
	}
}
