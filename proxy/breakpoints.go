package proxy

import "trunkline/prefix"

// breakpoints marks the step's request where the settings ask for it. The markers are put in
// as it is sent and nowhere else: the branch, its forks and the transcript have none, so they
// move on with the conversation and a fork's bytes stay its parent's.
func (e *exchange) breakpoints(path prefix.Path, items [][]byte) []prefix.Breakpoint {
	if !e.Breakpoints {
		return nil
	}
	return e.Provider.For(e.info.Model).Breakpoints(path, e.head, items, completed(e.branch))
}
