package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "trunkline"

// TestImports holds every import of the project outside tests against the
// tables. Tests may import what they like.
func TestImports(t *testing.T) {
	edges := importsOf(t, os.DirFS("../.."))
	if !slices.Contains(edges, edge{"cmd/proxy", module + "/cmd/proxy/internal/settings"}) {
		t.Fatalf("the walk missed an import that is there; it found %d", len(edges))
	}
	for _, e := range edges {
		if fault := e.fault(); fault != "" {
			t.Errorf("%s imports %s: %s", e.pkg, e.imported, fault)
		}
	}
}

// edge is one import.
type edge struct {
	pkg      string // path of the importing package, relative to the module
	imported string // import path
}

// importsOf reads the import clauses itself, of all files whatever their build
// constraints. (Asking the go command would hide the files from the test cache.)
func importsOf(t *testing.T, root fs.FS) []edge {
	t.Helper()
	found := map[edge]bool{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[edge{path.Dir(name), imported}] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	edges := make([]edge, 0, len(found))
	for e := range found {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return strings.Compare(a.pkg+" "+a.imported, b.pkg+" "+b.imported)
	})
	return edges
}
