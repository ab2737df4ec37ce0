package e2e

import (
	"os"
	"strings"
	"testing"
)

// clientsPage is the document that tells people how to set their clients.
const clientsPage = "../docs/clients.md"

// setting returns the file that a client's section of the page shows, with url in
// place of the page's own.
func setting(t *testing.T, section, file, url string) string {
	t.Helper()
	page, err := os.ReadFile(clientsPage)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## "+section+"\n")
	if !found {
		t.Fatalf("%s has no section %q", clientsPage, section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	for _, block := range strings.Split("\n"+rest, "\n```")[1:] {
		info, text, _ := strings.Cut(block, "\n")
		if strings.HasSuffix(info, " "+file) {
			return strings.ReplaceAll(text+"\n", "http://127.0.0.1:8080", url)
		}
	}
	t.Fatalf("section %q of %s shows no %s", section, clientsPage, file)
	return ""
}
