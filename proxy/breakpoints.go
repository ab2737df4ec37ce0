package proxy

import (
	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// breakpoints marks a request of this head and branch where the settings ask for it. The
// markers are put in as it is sent and nowhere else: the branch, its forks and the transcript
// have none, so they move on with the conversation and a fork's bytes stay its parent's.
func (e *exchange) breakpoints(model string, path reuse.Path, head prefix.Head, branch prefix.Branch) []prefix.Breakpoint {
	if !e.Breakpoints {
		return nil
	}
	return e.Provider.For(model).Breakpoints(path, head, branch.Items(0), completed(branch))
}
