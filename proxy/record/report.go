package record

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trunkline/prefix"
)

// A Report is what a replay came to.
type Report struct {
	Session     string       `json:"session"`
	Captured    bool         `json:"captured,omitempty"`
	Requests    []Account    `json:"requests"`
	Agents      []Total      `json:"agents"`
	Differences []Difference `json:"differences"`

	now []*played
}

// An Account is the reuse of one provider request as it was replayed.
type Account struct {
	Place   string `json:"place"`   // FILE:LINE of its exchange
	Request int    `json:"request"` // of the exchange, from 1
	Step
	// Asked is what the other provider reported as read; nil when none was asked or it did
	// not say.
	Asked *int64 `json:"asked,omitempty"`
	// AskError is why it did not answer.
	AskError string `json:"ask_error,omitempty"`
}

// A Total sums up the requests of one agent.
type Total struct {
	Agent    string         `json:"agent"` // "" for all anonymous ones
	Requests int            `json:"requests"`
	Bytes    int64          `json:"bytes"`
	Shared   int64          `json:"shared"`
	Expected int64          `json:"expected"`
	Reported int64          `json:"reported"` // of those that reported
	Asked    int64          `json:"asked,omitempty"`
	Silent   int            `json:"unreported"` // requests of which nothing was reported
	Breaks   map[string]int `json:"breaks"`     // cause → requests
}

// The kinds of difference.
const (
	DiffBytes   = "bytes"   // a request has other bytes
	DiffMissing = "missing" // a recorded request was not sent
	DiffExtra   = "extra"   // a request was sent that is not recorded
	DiffStalled = "stalled" // something recorded did not happen in time
)

// A Difference is what a replay did otherwise than the recording.
type Difference struct {
	Place    string `json:"place"` // FILE:LINE
	Exchange string `json:"exchange"`
	Agent    string `json:"agent,omitempty"`
	Request  int    `json:"request"` // to the provider, within the exchange, from 1
	Kind     string `json:"kind"`
	Detail   string `json:"detail"`
	Point    *Point `json:"point,omitempty"` // for DiffBytes of a body
	// Unordered: the recording does not say in which order agents' requests that were served at
	// once took effect on one another, so a replay may have decided otherwise.
	Unordered bool `json:"unordered,omitempty"`
}

// String tells the difference to somebody who has not seen one before.
func (d Difference) String() string {
	var b strings.Builder
	who := "an anonymous request"
	if d.Agent != "" {
		who = "agent " + d.Agent
	}
	fmt.Fprintf(&b, "%s (exchange %s, %s), request %d to the provider: %s\n", d.Place, d.Exchange, who, d.Request, d.Detail)
	if d.Unordered {
		b.WriteString("  note      the recording does not say in which order requests that were served at once took\n            effect, so this may be another order and no change\n")
	}
	if p := d.Point; p != nil {
		where := p.Path
		if p.Name != "" && p.Name != p.Path {
			where += " (" + p.Name + ")"
		}
		segment := p.Segment
		if segment == "" {
			segment = "none (outside of the prompt)"
		}
		fmt.Fprintf(&b, "  segment   %s\n  JSON path %s\n  offset    %d (bytes in common)\n  recorded  …%s…\n  now       …%s…\n",
			segment, where, p.Offset, oneLine(p.Was), oneLine(p.Now))
	}
	return b.String()
}

func oneLine(s string) string {
	return strings.NewReplacer("\n", `⏎`, "\r", `␍`, "\t", `⇥`).Replace(s)
}

// report compares what was played with the session.
func (p *player) report() *Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &Report{Session: p.session.Name, Captured: p.session.Captured, Requests: []Account{}, Differences: []Difference{}, now: p.played}
	unordered := !p.session.Captured && !p.session.ordered()
	for _, x := range p.played {
		for i, step := range x.steps {
			a := Account{Place: x.x.Place, Request: i + 1, Step: step}
			if i < len(x.arrivals) {
				a.add(x.arrivals[i])
			}
			r.Requests = append(r.Requests, a)
		}
		for _, d := range x.differences() {
			d.Unordered = unordered && d.Agent != ""
			r.Differences = append(r.Differences, d)
		}
	}
	r.Agents = totals(r.Requests)
	return r
}

func (a *Account) add(at *arrival) {
	if at.usage != nil && at.usage.Cached.Known {
		a.Asked = &at.usage.Cached.N
	}
	if at.asked != nil {
		a.AskError = at.asked.Error()
	}
}

// Unanswered returns how many requests the asked provider did not answer, and why not the first.
func (r *Report) Unanswered() (n int, first string) {
	for _, a := range r.Requests {
		if a.AskError != "" {
			n++
			first = cmp.Or(first, a.AskError)
		}
	}
	return n, first
}

// differences of one exchange, in order.
func (x *played) differences() []Difference {
	var out []Difference
	note := func(request int, kind, detail string, point *Point) {
		out = append(out, Difference{Place: x.x.Place, Exchange: x.x.ID, Agent: x.x.agent(), Request: request, Kind: kind, Detail: detail, Point: point})
	}
	sent := x.x.sent()
	for i := range max(len(sent), len(x.arrivals)) {
		switch {
		case i >= len(x.arrivals):
			note(i+1, DiffMissing, "it was recorded and is not sent any more (the request ended as "+cmp.Or(x.outcome, "unfinished")+", recorded: "+x.x.Usage.Outcome+")", nil)
		case i >= len(sent):
			note(i+1, DiffExtra, "it is sent now and was not recorded", nil)
		default:
			was, now := sent[i].Request, x.arrivals[i].request
			if was.Method != now.Method || was.Path != now.Path {
				note(i+1, DiffBytes, fmt.Sprintf("it goes to %s %s now, recorded: %s %s", now.Method, now.Path, was.Method, was.Path), nil)
			}
			if point, differ := PointOf(was.Body.Bytes(), now.Body.Bytes(), x.x.Kind()); differ {
				note(i+1, DiffBytes, "its body has other bytes than the recorded one", &point)
			}
		}
	}
	if x.stalled != "" && len(out) == 0 {
		note(0, DiffStalled, x.stalled+" was recorded and did not come in time", nil)
	}
	return out
}

// agent is the id that the client gave itself, or was adopted by.
func (x *Exchange) agent() string {
	for _, h := range x.Client.Headers {
		if strings.EqualFold(h[0], "X-Agent-Id") {
			return h[1]
		}
	}
	if len(x.Usage.Steps) == 0 {
		return ""
	}
	return x.Usage.Steps[0].Agent
}

// Kind is the shape of the exchange's bodies, by the path.
func (x *Exchange) Kind() prefix.Kind {
	path, _, _ := strings.Cut(x.Client.Path, "?")
	switch {
	case strings.HasSuffix(path, "/responses"):
		return prefix.Responses
	case strings.HasSuffix(path, "/messages"):
		return prefix.Messages
	}
	return prefix.Chat
}

func totals(requests []Account) []Total {
	byAgent := map[string]*Total{}
	for _, a := range requests {
		t := byAgent[a.Agent]
		if t == nil {
			t = &Total{Agent: a.Agent, Breaks: map[string]int{}}
			byAgent[a.Agent] = t
		}
		t.Requests++
		t.Bytes += a.Bytes
		t.Shared += a.Shared
		t.Expected += a.Expected
		if a.Cached != nil {
			t.Reported += *a.Cached
		} else {
			t.Silent++
		}
		if a.Asked != nil {
			t.Asked += *a.Asked
		}
		if a.Cause != string(prefix.CauseNone) {
			t.Breaks[a.Cause]++
		}
	}
	out := []Total{}
	for _, id := range slices.Sorted(maps.Keys(byAgent)) {
		out = append(out, *byAgent[id])
	}
	return out
}

// breaks lists causes with their numbers, by name.
func (t Total) breaks() string {
	var list []string
	for _, cause := range slices.Sorted(maps.Keys(t.Breaks)) {
		list = append(list, fmt.Sprintf("%s %d", cause, t.Breaks[cause]))
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// Update makes the recorded requests those of the replay, and reports whether it could: an
// answer that was not recorded cannot be made up.
func (r *Report) Update() error {
	for _, d := range r.Differences {
		if d.Kind != DiffBytes {
			return fmt.Errorf("%s: request %d: %s: record it anew", d.Place, d.Request, d.Detail)
		}
	}
	for _, x := range r.now {
		for i, hop := range x.x.sent() {
			now := x.arrivals[i].request
			hop.Request.Method, hop.Request.Path = now.Method, now.Path
			if !bytes.Equal(hop.Request.Body.Bytes(), now.Body.Bytes()) {
				hop.Request.Body = now.Body
			}
		}
	}
	return nil
}
