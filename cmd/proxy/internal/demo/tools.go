package demo

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"
)

// workspace is the folder that the agents of the story work in: this package.
//
//go:embed agent.go doc.go story.go table.go wire.go
var workspace embed.FS

// runTool does for the story what an agent's client does: it runs a tool, and
// tells what came of it. Nothing but the workspace can be read.
func runTool(name, arguments string) string {
	var args struct{ Path string }
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return "Error: the arguments are not valid JSON: " + err.Error()
	}
	switch name {
	case "list_files":
		return listFiles()
	case "read_file":
		text, err := fs.ReadFile(workspace, strings.TrimPrefix(args.Path, "./"))
		if err != nil {
			return "Error: " + err.Error()
		}
		return string(text)
	}
	return "Error: " + name + " is switched off in this session."
}

func listFiles() string {
	entries, err := workspace.ReadDir(".")
	if err != nil {
		panic(err) // the root of an embedded file system can be read
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, "\n")
}
