package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

type versionCommand struct{}

// versionFlag does what the command does in place of any command.
type versionFlag bool

// BeforeReset is called while the command line is read, where the flag is given.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	if err := (versionCommand{}).Run(app.Stdout); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

// Run prints the module's version and, if the build recorded it, the revision
// that it was built from.
func (versionCommand) Run(stdout io.Writer) error {
	number, revision, at, modified := "(unknown)", "", "", ""
	if build, ok := debug.ReadBuildInfo(); ok {
		number = build.Main.Version
		for _, setting := range build.Settings {
			switch setting.Key {
			case "vcs.revision":
				revision = setting.Value
			case "vcs.time":
				at = setting.Value
			case "vcs.modified":
				if setting.Value == "true" {
					modified = ", modified"
				}
			}
		}
	}
	text := fmt.Sprintf("trunkline %s\n", number)
	if revision != "" {
		text += fmt.Sprintf("revision %s of %s%s\n", revision, at, modified)
	}
	text += fmt.Sprintf("%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	_, err := io.WriteString(stdout, text)
	return err
}
