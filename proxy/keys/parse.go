package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"trunkline/agents"
)

// hash is the SHA-256 of a client's key.
type hash [sha256.Size]byte

// entry is one key of the file.
type entry struct {
	hash hash
	key  Key
}

// fields are those of one key in the file, with where they stand.
type fields map[string]*yaml.Node

// parse reads a file. Its errors name a line where there is one, and quote nothing that
// may be secret.
func parse(text []byte) ([]entry, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, errors.New("it holds no keys")
	} else if err != nil {
		return nil, syntax(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one YAML document")
	}
	top, err := mapping(document.Content[0], "keys")
	if err != nil {
		return nil, err
	}
	list := top["keys"]
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, at(document.Content[0], "want a list named keys with at least one key")
	}
	entries := make([]entry, 0, len(list.Content))
	lines := map[hash]int{} // of a key → where it stands
	for _, node := range list.Content {
		e, err := parseEntry(node)
		if err != nil {
			return nil, err
		}
		if first, twice := lines[e.hash]; twice {
			return nil, at(node, "the key is the one of line %d", first)
		}
		lines[e.hash] = node.Line
		entries = append(entries, e)
	}
	if list.Style&yaml.FlowStyle == 0 && !bytes.HasSuffix(text, []byte("\n")) {
		// Half a line reads well: half of the tenant team-10 may be the tenant team-1.
		return nil, errors.New("its last line has no end: it may be half written")
	}
	return entries, nil
}

func parseEntry(node *yaml.Node) (e entry, err error) {
	f, err := mapping(node, "key", "sha256", "tenant", "scopes", "upstream_key")
	if err != nil {
		return e, err
	}
	if (f["key"] == nil) == (f["sha256"] == nil) {
		return e, at(node, "want either key or sha256")
	}
	if f["key"] != nil {
		text, err := f.text("key")
		if err != nil {
			return e, err
		}
		e.hash = sha256.Sum256([]byte(text))
	} else {
		text, err := f.text("sha256")
		if err != nil {
			return e, err
		}
		if n, err := hex.Decode(e.hash[:], []byte(text)[:min(len(text), 2*len(e.hash))]); err != nil || n != len(e.hash) || len(text) != 2*n {
			return e, at(f["sha256"], "sha256: want %d hexadecimal digits", 2*len(e.hash))
		}
	}
	if f["tenant"] == nil {
		return e, at(node, "want a tenant")
	}
	if e.key.Tenant, err = f.text("tenant"); err != nil {
		return e, err
	}
	if agents.CheckID(e.key.Tenant) != nil {
		return e, at(f["tenant"], "tenant: want 1 to %d characters of A-Z a-z 0-9 . _ : -", agents.MaxID)
	}
	if f["upstream_key"] != nil {
		if e.key.UpstreamKey, err = f.text("upstream_key"); err != nil {
			return e, err
		}
	}
	e.key.scopes, err = parseScopes(f["scopes"])
	return e, err
}

func parseScopes(node *yaml.Node) ([]Scope, error) {
	if node == nil {
		return []Scope{Model}, nil
	}
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		return nil, at(node, "scopes: want a list of model, agents, admin")
	}
	var scopes []Scope
	for _, n := range node.Content {
		switch s := Scope(n.Value); s {
		case Model, Agents, Admin:
			scopes = append(scopes, s)
		default:
			return nil, at(n, "scopes: want model, agents or admin")
		}
	}
	return scopes, nil
}

// mapping returns the members of a mapping that may hold those named, each once.
func mapping(node *yaml.Node, names ...string) (fields, error) {
	if node.Kind != yaml.MappingNode {
		return nil, at(node, "want a mapping")
	}
	f := fields{}
next:
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		for _, name := range names {
			if key.Value != name {
				continue
			}
			if f[name] != nil {
				return nil, at(key, "%s is given twice", name)
			}
			f[name] = value
			continue next
		}
		// Not quoted: a misplaced colon makes a secret a name.
		return nil, at(key, "unknown field; known here are %q", names)
	}
	return f, nil
}

// text returns the value of a field as it stands in the file: what YAML makes of 0123 or
// of 1e3 does not matter. Blanks and controls cannot be in a header, so they are refused.
func (f fields) text(name string) (string, error) {
	node := f[name]
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" || node.Value == "" {
		return "", at(node, "%s: want a text", name)
	}
	for i := range len(node.Value) {
		if c := node.Value[i]; c <= ' ' || c >= 0x7f {
			return "", at(node, "%s: want printable ASCII without blanks", name)
		}
	}
	return node.Value, nil
}

// syntax keeps of an error of the YAML parser what quotes nothing of the file: those with
// a line say only what was expected there.
func syntax(err error) error {
	if where, ok := strings.CutPrefix(err.Error(), "yaml: line "); ok {
		return errors.New("line " + where)
	}
	return errors.New("it is not valid YAML")
}

func at(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", node.Line, fmt.Errorf(format, args...))
}
