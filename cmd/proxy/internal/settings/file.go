package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// fileFlag is the flag that names the file.
const fileFlag = "config"

// outsideFile tells the flags that have no meaning as a key of the file.
func outsideFile(name string) bool {
	return slices.Contains([]string{fileFlag, PrintFlag, "help"}, name)
}

// file is one YAML file: a mapping from flag names to values.
type file struct {
	path    string
	entries map[string]entry // flag name → its value
}

// entry is a value as it would be written on the command line.
type entry struct {
	value string
	line  int // of the key, from 1
}

// readFile reads the file at path. flag returns the flag of a key, or nil if
// there is none. Errors begin with the path and, where there is one, the line.
func readFile(path string, flag func(key string) *kong.Flag) (*file, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return &file{path: path}, nil // empty, or comments only
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document", path)
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: want a mapping from flag names to values", path, top.Line)
	}

	f := &file{path: path, entries: map[string]entry{}}
	for i := 0; i < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		at := fmt.Sprintf("%s:%d", path, key.Line)
		known := flag(key.Value)
		if known == nil {
			return nil, fmt.Errorf("%s: unknown key %q", at, key.Value)
		}
		if first, twice := f.entries[key.Value]; twice {
			return nil, fmt.Errorf("%s: key %q is already set in line %d", at, key.Value, first.line)
		}
		text, err := valueText(value, known.IsSlice())
		if err != nil {
			return nil, fmt.Errorf("%s: key %q: %w", at, key.Value, err)
		}
		if strings.Contains(text, redacted) { // or it would go to a provider as a key
			return nil, fmt.Errorf("%s: key %q: %s stands for what was left out when this was printed: write it, or delete the line", at, key.Value, redacted)
		}
		f.entries[key.Value] = entry{value: text, line: key.Line}
	}
	return f, nil
}

// valueText returns a value as it would be written on the command line. Scalars
// keep the text that stands in the file, so that what YAML makes of `off`,
// `010` or `1e3` does not matter.
func valueText(node *yaml.Node, list bool) (string, error) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return "", errors.New("has no value")
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	case node.Kind == yaml.SequenceNode && list:
		elements := make([]string, len(node.Content))
		for i, element := range node.Content {
			text, err := valueText(element, false)
			if err != nil {
				return "", fmt.Errorf("element %d: %w", i+1, err)
			}
			elements[i] = text
		}
		return kong.JoinEscaped(elements, ','), nil
	case node.Kind == yaml.SequenceNode:
		return "", errors.New("takes one value, not a list")
	default:
		return "", errors.New("takes a value, not a mapping")
	}
}
