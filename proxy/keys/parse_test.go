package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	sum := sha256.Sum256([]byte("second-secret"))
	entries, err := parse(fmt.Appendf(nil, `
keys:
  - key: first-secret
    tenant: research
    scopes: [model, agents]
    upstream_key: sk-up
  - sha256: %s
    tenant: operations
    scopes: [admin]
  - key: 0x10
    tenant: digits
`, strings.ToUpper(hex.EncodeToString(sum[:]))))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		secret, tenant, upstream string
		may                      string
	}{
		{"first-secret", "research", "sk-up", "model agents"},
		{"second-secret", "operations", "", "model agents admin"},
		{"0x10", "digits", "", "model"}, // the text, not the number; the default scope
	} {
		e := entries[i]
		if e.hash != sha256.Sum256([]byte(want.secret)) {
			t.Errorf("%s: another hash", want.secret)
		}
		if e.key.Tenant != want.tenant || e.key.UpstreamKey != want.upstream {
			t.Errorf("%s: %+v", want.secret, e.key)
		}
		for _, s := range []Scope{Model, Agents, Admin} {
			if e.key.May(s) != strings.Contains(want.may, string(s)) {
				t.Errorf("%s: May(%s) = %v", want.secret, s, e.key.May(s))
			}
		}
	}
}

// TestParseRefuses holds that what is wrong is named, and no secret is.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", ``, "it holds no keys"},
		{"only a comment", `# keys: SECRET`, "it holds no keys"},
		{"no keys", `keys: []`, "line 1: want a list named keys"},
		{"no list", `keys: {key: SECRET, tenant: a}`, "line 1: want a list named keys"},
		{"a scalar", `SECRET`, "line 1: want a mapping"},
		{"two documents", "keys: [{key: SECRET, tenant: a}]\n---\nkeys: []", "more than one YAML document"},
		{"unknown at the top", "keys: [{key: SECRET, tenant: a}]\nSECRET: 1", "line 2: unknown field"},
		{"unknown", "keys:\n- key: SECRET\n  tenant: a\n  scope: [model]", "line 4: unknown field"},
		{"a secret as a name", "keys:\n- SECRET: x\n  tenant: a", "line 2: unknown field"},
		{"given twice", "keys:\n- key: SECRET\n  key: SECRET\n  tenant: a", "line 3: key is given twice"},
		{"same key", "keys:\n- {key: SECRET, tenant: a}\n- {key: SECRET, tenant: b}", "line 3: the key is the one of line 2"},
		{"neither", "keys:\n- tenant: a", "line 2: want either key or sha256"},
		{"both", "keys:\n- {key: SECRET, sha256: SECRET, tenant: a}", "line 2: want either key or sha256"},
		{"null key", "keys:\n- {key: ~, tenant: a}", "line 2: key: want a text"},
		{"blank key", "keys:\n- {key: '', tenant: a}", "line 2: key: want a text"},
		{"spaced key", "keys:\n- {key: 'SECRET SECRET', tenant: a}", "line 2: key: want printable ASCII"},
		{"short hash", "keys:\n- {sha256: 5ec2e7, tenant: a}", "line 2: sha256: want 64 hexadecimal digits"},
		{"long hash", "keys:\n- {sha256: " + strings.Repeat("ab", 33) + ", tenant: a}", "line 2: sha256: want 64"},
		{"no hash", "keys:\n- {sha256: SECRET, tenant: a}", "line 2: sha256: want 64"},
		{"no tenant", "keys:\n- key: SECRET", "line 2: want a tenant"},
		{"bad tenant", "keys:\n- {key: SECRET, tenant: a/b}", "line 2: tenant: want 1 to 128 characters"},
		{"no scopes", "keys:\n- {key: SECRET, tenant: a, scopes: []}", "line 2: scopes: want a list"},
		{"unknown scope", "keys:\n- {key: SECRET, tenant: a, scopes: [SECRET]}", "line 2: scopes: want model, agents or admin"},
		{"bad upstream key", "keys:\n- {key: SECRET, tenant: a, upstream_key: [SECRET]}", "line 2: upstream_key: want a text"},
		{"no YAML", "keys:\n- {key: SECRET", "line "},
		{"an alias", "keys:\n- {key: *SECRET, tenant: a}", "it is not valid YAML"},
		{"a tag", "keys:\n- !SECRET!x {key: a, tenant: a}", "line "},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries, err := parse([]byte(c.text))
			if err == nil {
				t.Fatalf("taken: %+v", entries)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

// TestHalfWritten: no file that ends within a line is taken for a whole one.
func TestHalfWritten(t *testing.T) {
	for style, text := range map[string]string{
		"block": "keys:\n  - key: one\n    tenant: team-1\n  - key: two\n    scopes: [model, agents]\n    upstream_key: sk-12\n    tenant: team-10\n",
		"flow":  "keys: [{key: one, tenant: team-1},\n {key: two, scopes: [model, agents], upstream_key: sk-12, tenant: team-10}]",
	} {
		if _, err := parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		for n := range len(text) {
			half := text[:n]
			if style == "block" && strings.HasSuffix(half, "\n") {
				continue
			}
			if entries, err := parse([]byte(half)); err == nil {
				t.Errorf("taken: %q as %+v", half, entries)
			}
		}
	}
}

// FuzzParse: keys that are taken are whole, and no error depends on a secret.
func FuzzParse(f *testing.F) {
	f.Add([]byte("keys:\n- {key: a, tenant: b, scopes: [model]}\n"))
	f.Add([]byte("keys:\n- {key: &a b, tenant: *a}\n"))
	f.Add([]byte("keys:\n- {key: SECRET, tenant: b, upstream_key: [SECRET]}"))
	f.Add([]byte("keys: !SECRET [*SECRET, SECRET: a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := parse(text)
		if (err == nil) != (len(entries) > 0) {
			t.Errorf("%d keys and %v", len(entries), err)
		}
		for _, e := range entries {
			if e.key.Tenant == "" || len(e.key.scopes) == 0 {
				t.Errorf("%+v", e.key)
			}
		}
		if _, other := parse(bytes.ReplaceAll(text, []byte("SECRET"), []byte("HIDDEN"))); fmt.Sprint(err) != fmt.Sprint(other) {
			t.Errorf("the error tells a secret: %v", err)
		}
	})
}
