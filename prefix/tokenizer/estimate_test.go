package tokenizer_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tiktoken "github.com/tiktoken-go/tokenizer"

	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// TestEstimateByRealVocabularies: before an answer, a prompt is taken for what was reported
// of its beginning and a guess at what is new. With tokens of four bytes the guess is nearly
// exact. Of real vocabularies it errs by a tenth of the new text's tokens, whatever that
// text is: so by less than one per cent of the prompt on average, and in each case where the
// new text is no more than a fortieth of it.
func TestEstimateByRealVocabularies(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		count                  func(string) int
		mean, worst, ofNewText float64 // what it may be off
	}{
		{"four bytes", func(s string) int { return (len(s) + 3) / 4 }, 0.001, 0.01, 0.02},
		{"o200k", vocabulary(t, tiktoken.O200kBase), 0.01, 0.08, 0.1},
		{"cl100k", vocabulary(t, tiktoken.Cl100kBase), 0.01, 0.08, 0.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &gauge{count: tt.count, texts: texts(t)}
			for seed := range uint64(6) {
				g.rng, g.index = rand.New(rand.NewPCG(seed, 2)), reuse.NewIndex(reuse.IndexConfig{})
				g.conversation()
				g.conversation()
			}
			var mean, worst, ofNew, beyond float64
			n := float64(len(g.figures))
			for _, f := range g.figures {
				off := math.Abs(f.estimated-f.truth) / f.truth
				mean, worst = mean+off/n, max(worst, off)
				ofNew += math.Abs(f.estimated-f.truth) / f.fresh / n
				if off > 0.01 {
					beyond++
					if f.fresh < f.truth/40 {
						t.Errorf("%.0f tokens are taken for %.0f, of which %.0f are new", f.truth, f.estimated, f.fresh)
					}
				}
			}
			if mean > tt.mean || worst > tt.worst || ofNew > tt.ofNewText {
				t.Error("the guesses are further off than is promised")
			}
			t.Logf("%.0f prompts: off by %.2f %% on average, %.2f %% at most, %.1f %% of them by more than 1 %%; by %.1f %% of the new text", n, 100*mean, 100*worst, 100*beyond/n, 100*ofNew)
		})
	}
}

func vocabulary(t *testing.T, name tiktoken.Encoding) func(string) int {
	codec, err := tiktoken.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(s string) int {
		n, err := codec.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// texts are what agents write and read: kind → files of this repository.
func texts(t *testing.T) map[string][]string {
	found := map[string][]string{}
	for kind, patterns := range map[string][]string{
		"prose": {"../../*.md", "../../docs/*.md", "../../*/README.md"},
		"code":  {"../*.go", "../../agents/*.go", "../../tools/*.go"},
		"data":  {"../../dashboards/*.json", "../../go.sum", "../../dashboards/*.yml"},
	} {
		for _, pattern := range patterns {
			files, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if text, err := os.ReadFile(file); err == nil && len(text) > 3000 {
					found[kind] = append(found[kind], string(text))
				}
			}
		}
		if len(found[kind]) == 0 {
			t.Fatalf("no %s to read", kind)
		}
	}
	return found
}

// gauge takes prompts for what an index says before their tokens are reported.
type gauge struct {
	count   func(string) int
	texts   map[string][]string
	rng     *rand.Rand
	index   *reuse.Index
	figures []figure
}

// figure is one prompt, in tokens: as estimated, in truth, and what is new in it.
type figure struct{ estimated, truth, fresh float64 }

// conversation is a coding agent's: prompts in prose, answers with calls, and results of
// any kind. What is known of it begins with its third request.
func (g *gauge) conversation() {
	name := fmt.Sprint("agent ", g.rng.Uint32())
	system := name + g.text("prose", 12_000)
	tool := json.RawMessage(`{"type":"function","function":{"name":"read_file","description":"Read a file of the workspace and return its text with line numbers.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Path of the file to read."}},"required":["path"]}}}`)
	head := prefix.Head{Tools: [][]byte{tool}, System: [][]byte{message("system", system)}}
	total := g.count(string(tool)) + g.around("system", system)
	scope, path := reuse.Scope{Model: "m"}, reuse.PathOf([]string{prefix.SegmentSystem, prefix.SegmentTools}, head, nil)
	said := 0
	for request := range 24 {
		fresh := 0
		ask := func(role, text string) {
			path = path.Extend([][]byte{message(role, text)})
			fresh += g.around(role, text)
		}
		if request%4 == 0 {
			ask("user", g.text("prose", 100+g.rng.IntN(2000)))
		} else {
			kind := []string{"prose", "code", "data"}[g.rng.IntN(3)]
			ask("tool", g.text(kind, 300+g.rng.IntN(5000)))
		}
		truth := total + said + fresh
		estimated, _ := g.index.Look(scope, path, name, time.Time{}).Calibrate(path).Tokens(path.Bytes(path.Len()))
		if request >= 2 {
			g.figures = append(g.figures, figure{float64(estimated), float64(truth), float64(fresh)})
		}
		g.index.Add(scope, path, reuse.Sent{Lineage: name, Answered: true, Tokens: prefix.Tokens(int64(truth))}, time.Time{})

		answer := g.text("prose", 50+g.rng.IntN(1000))
		path = path.Extend([][]byte{message("assistant", answer)})
		total, said = truth, g.around("assistant", answer)
		g.index.Add(scope, path, reuse.Sent{Lineage: name, Answered: true, Output: true, Tokens: prefix.Tokens(int64(total + said))}, time.Time{})
	}
}

// around counts a message as common templates print it.
func (g *gauge) around(role, text string) int {
	return 2 + g.count(role+"\n"+text) + g.count("\n")
}

// text is a piece of some text of a kind.
func (g *gauge) text(kind string, n int) string {
	text := g.texts[kind][g.rng.IntN(len(g.texts[kind]))]
	n = min(n, len(text))
	from := g.rng.IntN(len(text) - n + 1)
	return strings.ToValidUTF8(text[from:from+n], "")
}

func message(role, text string) []byte {
	raw, err := json.Marshal(map[string]string{"role": role, "content": text})
	if err != nil {
		panic(err)
	}
	return raw
}
