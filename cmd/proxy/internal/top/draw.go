package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"trunkline/agents"
	"trunkline/proxy"
)

// Screen is what a picture has to fit.
type Screen struct {
	Height int // in lines
	Color  bool
}

// The parts of a bar, as characters and as colours.
const (
	reusedMark, newMark, lostMark = '█', '░', '▒'

	green, grey, red, bold, plain = "\x1b[32m", "\x1b[90m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
)

// Draw returns the picture's lines, at most Height of them.
func (s Screen) Draw(st proxy.Status) []string {
	lines := append(s.totals(st), "")
	lines = append(lines, s.paint(bold, "agents"))
	if len(st.Agents) == 0 {
		lines = append(lines, "  none yet: send X-Agent-Id with a request")
	}
	last := map[agents.Key]proxy.StatusRequest{} // agent → its latest request
	for _, r := range st.Requests {
		last[agents.Key{Tenant: r.Tenant, ID: r.Agent}] = r
	}
	for _, b := range tree(st.Agents) {
		name := clip(strings.Repeat("  ", b.depth)+clean(b.ID), 28)
		line := fmt.Sprintf("  %-28s %-8s turn %-4d inbox %-3d ", name, b.Status, b.Turn, b.Inbox)
		if r, ok := last[agents.Key{Tenant: b.Tenant, ID: b.ID}]; ok {
			line += s.bar(r, 24)
		}
		lines = append(lines, line)
	}
	breaks := s.breaks(st.Requests)
	lines = append(lines, "", s.paint(bold, "requests")+"  "+
		s.paint(green, string(reusedMark))+" reused "+s.paint(grey, string(newMark))+" new "+s.paint(red, string(lostMark))+" computed again")
	room := max(3, s.Height-len(lines)-len(breaks))
	for _, r := range slices.Backward(st.Requests) {
		if room--; room < 0 {
			break
		}
		lines = append(lines, s.request(r))
	}
	lines = append(lines, breaks...)
	if len(lines) > s.Height {
		lines = lines[:s.Height]
	}
	return lines
}

func (s Screen) totals(st proxy.Status) []string {
	var prompt, reported, reused, lost int64
	for _, r := range st.Requests {
		prompt += r.Prompt
		lost += r.Lost
		if r.Reused.Known {
			reused += r.Reused.N
			reported += r.Prompt
		}
	}
	hit := "not reported"
	if reported > 0 {
		hit = fmt.Sprintf("%.1f %%", 100*float64(reused)/float64(reported))
	}
	return []string{fmt.Sprintf("%s  provider %s  %d requests  reused %s  new %d  computed again %d",
		s.paint(bold, "trunkline"), clean(st.Provider), len(st.Requests), s.paint(bold, hit), max(0, prompt-reused-lost), lost)}
}

func (s Screen) request(r proxy.StatusRequest) string {
	who := cmp.Or(clean(r.Agent), "(anonymous)")
	at := r.Sent
	if len(at) >= 19 {
		at = at[11:19]
	}
	return fmt.Sprintf("  %s %-20s %-12s %s %9d %7d ms  %s", at, clip(who, 20), r.Relation, s.bar(r, 24), r.Prompt, r.TTFT, r.Cause)
}

func (s Screen) breaks(requests []proxy.StatusRequest) []string {
	var lines []string
	for _, r := range slices.Backward(requests) {
		if r.Break != "" && len(lines) < 5 {
			lines = append(lines, fmt.Sprintf("  %-20s %-18s %-30s %d tokens computed again",
				clip(cmp.Or(clean(r.Agent), "(anonymous)"), 20), r.Cause, clip(clean(r.Break), 30), r.Lost))
		}
	}
	if lines != nil {
		lines = append([]string{"", s.paint(bold, "last breaks")}, lines...)
	}
	return lines
}

// bar draws a request's prompt in width characters. What is there at all is seen: a part
// of few tokens still gets one character.
func (s Screen) bar(r proxy.StatusRequest, width int) string {
	if r.Prompt == 0 {
		return strings.Repeat(" ", width)
	}
	part := func(n int64) int {
		if n == 0 {
			return 0
		}
		return min(width, max(1, int(n*int64(width)/r.Prompt)))
	}
	lost := part(r.Lost)
	reused := min(part(r.Reused.N), width-lost)
	if rest := r.Prompt - r.Reused.N - r.Lost; rest > 0 && lost+reused == width && reused > 1 {
		reused--
	}
	fresh := width - lost - reused
	return s.paint(green, strings.Repeat(string(reusedMark), reused)) +
		s.paint(grey, strings.Repeat(string(newMark), fresh)) +
		s.paint(red, strings.Repeat(string(lostMark), lost))
}

func (s Screen) paint(color, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return color + text + plain
}

type branch struct {
	proxy.StatusAgent
	depth int
}

// tree orders agents in pre-order, siblings by id. One whose parent is not shown is shown
// as a root, and a circle, which no proxy makes, ends.
func tree(all []proxy.StatusAgent) []branch {
	shown := map[agents.Key]bool{}
	for _, a := range all {
		shown[agents.Key{Tenant: a.Tenant, ID: a.ID}] = true
	}
	under := map[agents.Key][]proxy.StatusAgent{}
	for _, a := range all {
		parent := agents.Key{Tenant: a.Tenant, ID: a.Parent}
		if !shown[parent] {
			parent = agents.Key{}
		}
		under[parent] = append(under[parent], a)
	}
	var out []branch
	var walk func(parent agents.Key, depth int)
	walk = func(parent agents.Key, depth int) {
		children := under[parent]
		slices.SortFunc(children, func(a, b proxy.StatusAgent) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Tenant, b.Tenant))
		})
		delete(under, parent)
		for _, a := range children {
			out = append(out, branch{a, depth})
			walk(agents.Key{Tenant: a.Tenant, ID: a.ID}, depth+1)
		}
	}
	walk(agents.Key{}, 0)
	return out
}

func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

func clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
