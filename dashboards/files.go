package dashboards

// Files returns all generated files: name in this directory → contents.
func Files() map[string][]byte {
	files := map[string][]byte{"rules.yml": rulesYAML(), "README.md": readme()}
	for _, b := range Boards() {
		files[b.UID+".json"] = b.JSON()
	}
	return files
}
