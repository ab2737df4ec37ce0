package metrics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestClosedSetsAreComplete reads the constants that the other packages define: a value
// that is added there belongs into the table here.
func TestClosedSetsAreComplete(t *testing.T) {
	table := func(name, label string) []string {
		i := slices.IndexFunc(Table(), func(m Metric) bool { return m.Name == name })
		j := slices.IndexFunc(Table()[i].Labels, func(l Label) bool { return l.Name == label })
		return Table()[i].Labels[j].Values
	}
	for _, c := range []struct {
		metric, label string
		dir, of       string   // constants of this type, or of names that begin so
		not           []string // constants that are no label value here
		own           []string // label values that are no constants there
	}{
		{RequestsTotal, "outcome", "../proxy", "Outcome", nil, nil},
		{PromptTokensTotal, "relation", "../proxy", "Relation", nil, nil},
		{ForkHeadsTotal, "result", "../proxy", "ForkHead", nil, nil},
		// What never costs a cached token, or is told by the fork heads, is no loss.
		{PrefixShortfallTokensTotal, "cause", "../prefix", "Cause", []string{"none", "system_moved"}, nil},
		{PrefixBreaksTotal, "segment", "../prefix", "Segment", nil, nil},
		{PrefixRepairsTotal, "kind", "../prefix", "Repair", nil, nil},
		{Agents, "status", "../agents", "Status", nil, nil},
		{SettlementsTotal, "outcome", "../agents", "Outcome", nil, nil},
		{MessagesTotal, "kind", "../agents", "EntryKind", nil, nil},
		{MessagesTotal, "route", "../agents", "Route", nil, []string{none}},
		{MessagesTotal, "outcome", "../agents", "Reason", nil, []string{accepted}},
		{RecordDroppedTotal, "reason", "../proxy/record", "Lost", nil, nil},
	} {
		want := append(constants(t, c.dir, c.of), c.own...)
		want = slices.DeleteFunc(want, func(v string) bool { return slices.Contains(c.not, v) })
		have := slices.Clone(table(c.metric, c.label))
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%s{%s} has the values\n%q, the package\n%q", c.metric, c.label, have, want)
		}
	}
}

// constants returns the values of a package's string constants of a type, or, without
// one, of names that begin with it.
func constants(t *testing.T, dir, of string) (values []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				kind, typed := spec.Type.(*ast.Ident)
				if typed && kind.Name != of || !typed && !strings.HasPrefix(spec.Names[0].Name, of) || len(spec.Values) != 1 {
					continue
				}
				literal, ok := spec.Values[0].(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					continue
				}
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
		}
	}
	if len(values) == 0 {
		t.Fatalf("%s has no constants %s", dir, of)
	}
	return values
}
