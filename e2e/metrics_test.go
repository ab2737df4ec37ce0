package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"trunkline/metrics"
)

// TestMetricsAgreeWithProvider: what the proxy counted is what the provider counted, to
// the token, and every figure that the traffic determines is right.
func TestMetricsAgreeWithProvider(t *testing.T) {
	w, sim := watched(t)
	w.family(t, 1)
	var stats struct {
		PromptTokens     float64 `json:"prompt_tokens"`
		CachedTokens     float64 `json:"cached_tokens"`
		CompletionTokens float64 `json:"completion_tokens"`
	}
	if err := json.Unmarshal(page(t, sim.URL+"/sim/stats"), &stats); err != nil {
		t.Fatal(err)
	}
	s := scrape(t, w.proxy.URL)
	for _, c := range []struct {
		name, matchers string
		want           float64
	}{
		{metrics.PromptTokensTotal, ``, stats.PromptTokens},
		{metrics.PromptTokensTotal, `cache="read"`, stats.CachedTokens},
		{metrics.PromptTokensTotal, `cache="unreported"`, 0},
		{metrics.CompletionTokensTotal, ``, stats.CompletionTokens},
		{metrics.RequestsTotal, `outcome="ok"`, 11},
		{metrics.RequestsTotal, ``, 11},
		{metrics.StepsPerResponse + "_sum", ``, 13}, // the child's two sends are steps of one response
		{metrics.ForkHeadsTotal, `result="byte_equal"`, 1},
		{metrics.ForkHeadsTotal, `result="repaired"`, 1},
		{metrics.ForkHeadsTotal, `result="diverged"`, 1},
		{metrics.PrefixBreaksTotal, `segment="tools",cause="tools_changed",relation="fork"`, 1},
		{metrics.PrefixBreaksTotal, `relation="continuation"`, 0},
		{metrics.MessagesTotal, `kind="message",route="parked",outcome="accepted"`, 1},
		{metrics.MessagesTotal, `kind="message",outcome="unknown"`, 1},
		{metrics.MessagesTotal, `kind="notice"`, 4},
		{metrics.MessageDeliverySeconds + "_count", ``, 1},
		{metrics.SettlementsTotal, `outcome="completed"`, 4},
	} {
		if got := s.sum(c.name, c.matchers); got != c.want {
			t.Errorf("%s{%s} is %v, want %v", c.name, c.matchers, got, c.want)
		}
	}
	for _, c := range []struct{ name, matchers string }{
		{metrics.PrefixShortfallTokensTotal, `cause="routing"`},       // the cold replica
		{metrics.PrefixShortfallTokensTotal, `cause="tools_changed"`}, // the child's own tool
		{metrics.PrefixRepairsTotal, `kind="answer_reserialised"`},
		{metrics.PromptTokensTotal, `relation="fork",cache="read"`},
		{metrics.ProxyOverheadSeconds + "_sum", ``},
		{metrics.UpstreamTTFTSeconds + "_sum", ``},
		{metrics.StoreOpSeconds + "_count", `op="commit"`},
	} {
		if s.sum(c.name, c.matchers) <= 0 {
			t.Errorf("%s{%s} is %v", c.name, c.matchers, s.sum(c.name, c.matchers))
		}
	}
}

// TestUnreportedIsNoMiss: of strangers that do not ask for usage nothing is known, and
// nothing is claimed.
func TestUnreportedIsNoMiss(t *testing.T) {
	w, _ := watched(t)
	w.family(t, 1) // so that there is something to estimate by
	w.strangers(t, 1)
	s := scrape(t, w.proxy.URL)
	if s.sum(metrics.PromptTokensTotal, `relation="anonymous",cache="unreported"`) <= 0 {
		t.Error("the strangers' tokens do not show")
	}
	for _, cache := range []string{metrics.CacheRead, metrics.CacheWrite, metrics.CacheMiss} {
		if n := s.sum(metrics.PromptTokensTotal, `relation="anonymous",cache="`+cache+`"`); n != 0 {
			t.Errorf("%v of the strangers' tokens count as %s", n, cache)
		}
	}
	for outcome, want := range map[string]float64{"provider": 1, "refused": 1} {
		if n := s.sum(metrics.RequestsTotal, `outcome="`+outcome+`"`); n != want {
			t.Errorf("%v requests end as %s, want %v", n, outcome, want)
		}
	}
}

// TestMetricsAreClean gives what the running program serves to the linter of Prometheus.
func TestMetricsAreClean(t *testing.T) {
	w, _ := watched(t)
	w.family(t, 1)
	command := exec.Command("promtool", "check", "metrics")
	command.Stdin = bytes.NewReader(page(t, w.proxy.URL+"/metrics"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}

// TestMetricsNameNobody: no agent's id is anywhere on the page.
func TestMetricsNameNobody(t *testing.T) {
	w, _ := watched(t)
	w.family(t, 77)
	if text := string(page(t, w.proxy.URL+"/metrics")); strings.Contains(text, "-77") {
		t.Error("the metrics name an agent")
	}
}

// samples are lines of the text format: series, as written there, → value.
type samples map[string]float64

func scrape(t *testing.T, url string) samples {
	t.Helper()
	out := samples{}
	lines := bufio.NewScanner(bytes.NewReader(page(t, url+"/metrics")))
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if strings.HasPrefix(lines.Text(), "#") || at < 0 {
			continue
		}
		value, err := strconv.ParseFloat(lines.Text()[at+1:], 64)
		if err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		out[lines.Text()[:at]] = value
	}
	return out
}

// sum adds up the series of a metric that have all the labels (as label="value", comma
// separated).
func (s samples) sum(name, labels string) (total float64) {
series:
	for series, value := range s {
		metric, rest, _ := strings.Cut(series, "{")
		if metric != name {
			continue
		}
		for label := range strings.SplitSeq(labels, ",") {
			if !strings.Contains(rest, label) {
				continue series
			}
		}
		total += value
	}
	return total
}

func page(t *testing.T, url string) []byte {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, response.Status, err)
	}
	return body
}
