package prefix

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"trunkline/prefix/tokenizer"
)

// TestDensityIsThatOfATokenizer compares kinds of text, as items hold them, with a real
// vocabulary: what counts is how many tokens a byte one has for one of the other.
func TestDensityIsThatOfATokenizer(t *testing.T) {
	prose := "The proxy keeps the prefix of every agent's prompt stable, so that the provider's cache is read again. A child that inherits its parent's conversation sends the very bytes that its parent sent, and only then what is its own. "
	for name, text := range map[string]string{
		"tools": `{"type":"function","function":{"name":"read_file","description":"Read a file of the workspace and return its text with line numbers.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Path of the file to read."},"offset":{"type":"integer","description":"First line to return."}},"required":["path"]}}}`,
		"code":  quoted(t, "func (s *server) find(name string) (int, error) {\n\tfor i, v := range s.values {\n\t\tif v.name == name {\n\t\t\treturn i, nil\n\t\t}\n\t}\n\treturn -1, errors.New(\"not found\")\n}\n"),
		"list":  quoted(t, "-rw-r--r-- 1 root root 48213 Nov 30 21:12 internal/cache/store_test.go\n-rw-r--r-- 1 root root 719 Nov 30 21:12 internal/cache/doc.go\n"),
	} {
		count := func(text string) float64 {
			n, err := tokenizer.Count(text)
			if err != nil {
				t.Fatal(err)
			}
			return float64(n) / float64(len(text))
		}
		// Templates print JSON with a space behind each colon and comma.
		printed := text
		if name == "tools" {
			printed = strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(text)
		}
		want := count(printed) * float64(len(printed)) / float64(len(text)) / count(prose)
		got := sample{}.with([]byte(text)).denser(sample{}.with([]byte(prose)))
		t.Logf("%s: %.2f, want %.2f", name, got, want)
		if math.Abs(got-want) > 0.2*want {
			t.Errorf("%s has %.2f tokens a byte for one of prose, a real vocabulary says %.2f", name, got, want)
		}
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
