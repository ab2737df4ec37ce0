package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"trunkline/agents"
	"trunkline/internal/figure"
	"trunkline/proxy/api"
)

// Screen is what a picture has to fit.
type Screen struct {
	Width  int // in columns; 0: 120
	Height int // in lines
	Color  bool
	Zone   *time.Location // of the times shown; nil: UTC
}

// picture is one drawing of a status.
type picture struct {
	Screen
	api.Status
	tenants bool // several: ids do not tell agents apart
	wide    bool // there is room for times
	who     int  // characters of an agent's name beside its request
}

// Draw returns the picture's lines: at most Height of them, none longer than Width.
func (s Screen) Draw(st api.Status) []string {
	s.Width = cmp.Or(s.Width, 120)
	p := picture{Screen: s, Status: st, tenants: several(st), wide: s.Width >= 110, who: 16}
	if p.wide {
		p.who = 26
	}
	lines := append(p.totals(), "")
	lines = append(lines, p.agents()...)
	breaks := p.breaks()
	lines = append(lines, "", p.heading())
	room := max(3, p.Height-len(lines)-len(breaks))
	for _, r := range slices.Backward(st.Requests) {
		if room--; room < 0 {
			break
		}
		lines = append(lines, p.request(r))
	}
	lines = append(lines, breaks...)
	lines = lines[:min(len(lines), p.Height)]
	for i := range lines {
		lines[i] = cut(lines[i], p.Width)
	}
	return lines
}

func several(st api.Status) bool {
	tenants := map[string]bool{}
	for _, a := range st.Agents {
		tenants[a.Tenant] = true
	}
	for _, r := range st.Requests {
		tenants[r.Tenant] = true
	}
	return len(tenants) > 1
}

func (p picture) totals() []string {
	var prompt, reported, reused, lost int64
	for _, r := range p.Requests {
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
	return []string{fmt.Sprintf("%s  %s  %d requests  reused %s  new %s  computed again %s",
		p.paint(bold, "trunkline"), clean(p.Provider), len(p.Requests), p.paint(bold, hit), figure.Of(max(0, prompt-reused-lost)), figure.Of(lost))}
}

// agents draws the tree. It takes no more than half of the screen.
func (p picture) agents() []string {
	lines := []string{p.paint(bold, "agents")}
	all := tree(p.Agents)
	if len(all) == 0 {
		return append(lines, "  none yet: send X-Agent-Id with a request")
	}
	last := map[agents.Key]api.StatusRequest{} // agent → its latest request
	for _, r := range p.Requests {
		last[agents.Key{Tenant: r.Tenant, ID: r.Agent}] = r
	}
	width := min(max(p.Width/3, 16), 44)
	most := max(3, p.Height/2-4)
	for i, b := range all {
		if i == most {
			return append(lines, fmt.Sprintf("  … and %d more", len(all)-most))
		}
		indent := strings.Repeat("  ", min(b.depth, 6))
		name := indent + p.name(b.Tenant, b.ID, b.Label, width-len(indent))
		line := fmt.Sprintf("  %s %-8s turn %-4d inbox %-3d ", pad(name, width), b.Status, b.Turn, b.Inbox)
		if r, ok := last[agents.Key{Tenant: b.Tenant, ID: b.ID}]; ok {
			line += p.bar(r, min(p.Width-width-32, 60))
		}
		lines = append(lines, line)
	}
	return lines
}

// heading explains the bars of the requests below it, and names their columns.
func (p picture) heading() string {
	line := "requests  " + string(reusedMark) + " reused " + string(newMark) + " new " + string(lostMark) + " computed again"
	at, took := "", ""
	if p.wide {
		at, took = "         ", "  1st token"
	}
	line = pad(line, len(at)+p.who+p.prompt()+17) + fmt.Sprintf("%9s%s  cause", "tokens", took)
	return strings.NewReplacer("requests", p.paint(bold, "requests"), string(reusedMark), p.paint(green, string(reusedMark)),
		string(newMark), p.paint(grey, string(newMark)), string(lostMark), p.paint(red, string(lostMark))).Replace(line)
}

// prompt is how many characters a request's bar has. What stands beside it and the name takes
// 45, and 20 more where there is room for times.
func (p picture) prompt() int {
	room := p.Width - p.who - 45
	if p.wide {
		room -= 20
	}
	return max(3, min(room, 60))
}

func (p picture) request(r api.StatusRequest) string {
	var at, took string
	if p.wide {
		at, took = p.clock(r.Sent)+" ", fmt.Sprintf(" %7s ms", figure.Of(r.TTFT))
	}
	cause, tokens := string(r.Cause), figure.Of(r.Prompt)
	switch {
	case r.Failed != "":
		cause, tokens = p.paint(red, r.Failed), "–"
	case cause == "none":
		cause = p.paint(grey, cause)
	}
	return fmt.Sprintf("  %s%s %-12s %s %9s%s  %s", at, p.name(r.Tenant, r.Agent, "", p.who), r.Relation, p.bar(r, p.prompt()), tokens, took, cause)
}

func (p picture) breaks() []string {
	var lines []string
	where := min(p.Width-p.who-47, 40)
	for _, r := range slices.Backward(p.Requests) {
		if r.Break != "" && len(lines) < 5 {
			lines = append(lines, fmt.Sprintf("  %s %-17s %s %9s computed again", p.name(r.Tenant, r.Agent, "", p.who), r.BreakCause, pad(clean(r.Break), where), figure.Of(r.Lost)))
		}
	}
	if lines != nil {
		lines = append([]string{"", p.paint(bold, "last breaks")}, lines...)
	}
	return lines
}

// name is who made a request, in width characters, with the tenant where there are several.
func (p picture) name(tenant, id, label string, width int) string {
	name := cmp.Or(clean(id), "(anonymous)")
	if !p.tenants || tenant == "" {
		if label != "" {
			name += " — " + clean(label)
		}
		return pad(name, width)
	}
	whose := " " + clip(clean(tenant), 9)
	return pad(clip(name, max(1, width-length(whose)))+whose, width)
}

func (p picture) clock(sent string) string {
	at, err := time.Parse(time.RFC3339, sent)
	if err != nil {
		return "--:--:--"
	}
	return at.In(cmp.Or(p.Zone, time.UTC)).Format(time.TimeOnly)
}
