package archtest

import (
	"slices"
	"strings"
	"testing"
)

// fault returns why the import must not be, or "".
func (e edge) fault() string {
	if target, ours := strings.CutPrefix(e.imported, module+"/"); ours {
		return e.faultInside(target)
	}
	if slices.Contains(pure.not, e.imported) && matchesAny(pure.of, e.pkg) {
		return pure.why
	}
	if host, _, _ := strings.Cut(e.imported, "/"); strings.Contains(host, ".") {
		return e.faultOutside()
	}
	return "" // the standard library
}

func (e edge) faultInside(target string) string {
	if strings.HasPrefix(target, e.pkg+"/internal/") {
		return ""
	}
	var at row
	for _, r := range inside {
		if matches(r.of, e.pkg) && len(r.of) > len(at.of) {
			at = r
		}
	}
	switch {
	case at.of == "":
		return "the importing package has no row in the table; add one, with the reason"
	case !matchesAny(at.may, target):
		return at.why
	}
	return ""
}

func (e edge) faultOutside() string {
	i := slices.IndexFunc(outside, func(d dependency) bool { return matches(d.module+"/...", e.imported) })
	switch {
	case i < 0:
		return "the dependency has no row in the table; add one, with the reason"
	case !matchesAny(outside[i].in, e.pkg):
		return outside[i].why
	}
	return ""
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) })
}

// matches tells whether a package is among those that a pattern of the tables
// names.
func matches(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	if top, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == top || strings.HasPrefix(name, top+"/")
	}
	if top, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(name, top+"/")
	}
	return name == pattern
}

// TestFault shows the tables an import of each kind that they are there for.
func TestFault(t *testing.T) {
	for _, test := range []struct {
		edge
		allowed bool
	}{
		{edge{"cmd/proxy", "trunkline/agents/redisstore"}, true},
		{edge{"cmd/proxy", "trunkline/agents/storetest"}, false},
		{edge{"proxy", "trunkline/prefix"}, true},
		{edge{"proxy", "trunkline/agents/boltstore"}, false},
		{edge{"proxy", "trunkline/proxy/sim"}, false},
		{edge{"proxy/sim", "trunkline/proxy/sse"}, false},
		{edge{"proxy/sim", "trunkline/proxy/sim/internal/x"}, true},
		{edge{"tools", "trunkline/agents"}, true},
		{edge{"tools", "trunkline/prefix"}, false},
		{edge{"agents", "trunkline/prefix"}, false},
		{edge{"prefix", "trunkline/agents"}, false},
		{edge{"prefix", "trunkline/prefix/tokens"}, true},
		{edge{"novel", "trunkline/prefix"}, false},

		{edge{"metrics", "github.com/prometheus/client_golang/prometheus"}, true},
		{edge{"proxy", "github.com/prometheus/client_golang/prometheus"}, false},
		{edge{"agents/redisstore", "github.com/redis/go-redis/v9"}, true},
		{edge{"cmd/proxy", "github.com/redis/go-redis/v9"}, false},
		{edge{"agents", "go.etcd.io/bbolt"}, false},
		{edge{"prefix/tokens", "github.com/tiktoken-go/tokenizer"}, true},
		{edge{"prefix", "github.com/tiktoken-go/tokenizer"}, false},
		{edge{"proxy", "example.org/novel"}, false},

		{edge{"prefix", "net/url"}, true},
		{edge{"prefix", "os"}, false},
		{edge{"agents", "net/http"}, false},
		{edge{"agents/boltstore", "os"}, true},
	} {
		if fault := test.fault(); (fault == "") != test.allowed {
			t.Errorf("%s imports %s: fault %q, allowed: %v", test.pkg, test.imported, fault, test.allowed)
		}
	}
}
