package record

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"text/tabwriter"
)

// Print writes the report for people: the reuse of each request, the sums of each agent, and
// the first difference.
func (r *Report) Print(w io.Writer) error {
	asked := false
	for _, a := range r.Requests {
		asked = asked || a.Asked != nil || a.AskError != ""
	}
	fmt.Fprintf(w, "%s\n\n", r.Session)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(last, now string, cells ...string) {
		if asked {
			cells = append(cells, now)
		}
		for _, c := range cells {
			fmt.Fprint(t, c, "\t")
		}
		fmt.Fprintf(t, "  %s\n", last)
	}
	row("break", "now", "request", "agent", "bytes", "shared", "expected", "reported")
	for _, a := range r.Requests {
		now := count(a.Asked)
		if a.AskError != "" {
			now = "error"
		}
		row(where(a.Step), now,
			filepath.Base(a.Place)+"/"+strconv.Itoa(a.Request), name(a.Agent),
			strconv.FormatInt(a.Bytes, 10), strconv.FormatInt(a.Shared, 10), strconv.FormatInt(a.Expected, 10), count(a.Cached))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	row("breaks", "now", "agent", "requests", "bytes", "shared", "expected", "reported")
	for _, a := range r.Agents {
		reported := strconv.FormatInt(a.Reported, 10)
		if a.Silent == a.Requests {
			reported = "-"
		}
		row(a.breaks(), strconv.FormatInt(a.Asked, 10),
			name(a.Agent), strconv.Itoa(a.Requests),
			strconv.FormatInt(a.Bytes, 10), strconv.FormatInt(a.Shared, 10), strconv.FormatInt(a.Expected, 10), reported)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if n, first := r.Unanswered(); n > 0 {
		fmt.Fprintf(w, "the provider that was asked did not answer %d of %d requests, the first since: %s\n\n", n, len(r.Requests), oneLine(first))
	}
	if len(r.Differences) == 0 {
		_, err := fmt.Fprintf(w, "no difference: all %d requests to the provider have the recorded bytes\n", r.sent())
		return err
	}
	_, err := fmt.Fprintf(w, "%d differences, the first:\n%s", len(r.Differences), r.Differences[0])
	return err
}

// sent is how many requests the replay sent to the provider.
func (r *Report) sent() int {
	n := 0
	for _, x := range r.now {
		n += len(x.arrivals)
	}
	return n
}

func name(agent string) string {
	if agent == "" {
		return "(anonymous)"
	}
	return agent
}

func count(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

// where names a break with its place.
func where(s Step) string {
	switch {
	case s.Segment == "":
		return s.Cause
	case s.Name != "":
		return fmt.Sprintf("%s in %s: %s", s.Cause, s.Segment, s.Name)
	}
	return fmt.Sprintf("%s in %s[%d]", s.Cause, s.Segment, s.Item)
}
