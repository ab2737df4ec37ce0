package tokenizer_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	tiktoken "github.com/tiktoken-go/tokenizer"

	"trunkline/e2e/recordings"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// TestEstimateOfRecordedClients: what real clients sent, in the forms in which they write
// it, with large heads and short steps. Their answers' tokens are not reported, as for
// anonymous traffic, so they are guessed as well. Prompts shorter than any provider caches do
// not matter.
func TestEstimateOfRecordedClients(t *testing.T) {
	g := &gauge{count: vocabulary(t, tiktoken.O200kBase)}
	for _, r := range recordings.Load(t) {
		g.index = reuse.NewIndex(reuse.IndexConfig{})
		for nth, exchange := range r.Exchanges {
			body, err := prefix.Split([]byte(exchange.Request.Body))
			if err != nil || !body.HasMessages {
				break // another API
			}
			g.recorded(t, r.Name, nth, body)
		}
	}
	if len(g.figures) < 30 {
		t.Errorf("%d prompts are too few to say anything", len(g.figures))
	}
	var mean, worst float64
	for _, f := range g.figures {
		off := math.Abs(f.estimated-f.truth) / f.truth
		mean, worst = mean+off/float64(len(g.figures)), max(worst, off)
	}
	if worst > 0.01 {
		t.Error("the guesses are further off than is promised")
	}
	t.Logf("%d prompts: off by %.2f %% on average, %.2f %% at most", len(g.figures), 100*mean, 100*worst)
}

// recorded takes one prompt for what the index says before it is reported.
func (g *gauge) recorded(t *testing.T, client string, nth int, body *prefix.Body) {
	var items [][]byte
	truth := 0
	for i, item := range body.Items {
		truth += g.printed(t, item.Raw)
		if i >= body.LeadingSystem() {
			items = append(items, item.Raw)
		}
	}
	for _, tool := range body.Tools {
		truth += g.count(string(tool.Raw))
	}
	path := reuse.PathOf([]string{prefix.SegmentSystem, prefix.SegmentTools}, prefix.HeadOf(body), items)
	found := g.index.Look(reuse.Scope{}, path, client, time.Time{})
	estimated, _ := found.Calibrate(path).Tokens(path.Bytes(path.Len()))
	if nth >= 2 && truth >= 1024 && found.Parts > 2 {
		g.figures = append(g.figures, figure{estimated: float64(estimated), truth: float64(truth)})
	}
	g.index.Add(reuse.Scope{}, path, reuse.Sent{Lineage: client, Answered: true, Tokens: prefix.Tokens(int64(truth))}, time.Time{})
}

// printed counts an item as common templates print it.
func (g *gauge) printed(t *testing.T, raw []byte) int {
	var m struct {
		Role    string
		Content any
		Calls   []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	switch content := m.Content.(type) {
	case string:
		text.WriteString(content)
	case []any:
		for _, part := range content {
			said, _ := part.(map[string]any)["text"].(string)
			text.WriteString(said)
		}
	}
	for _, c := range m.Calls {
		text.WriteString("\n<tool_call>\n{\"name\": \"" + c.Function.Name + "\", \"arguments\": " + c.Function.Arguments + "}\n</tool_call>")
	}
	return g.around(m.Role, text.String())
}
