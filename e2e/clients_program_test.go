package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// program is a coding agent that runs without a terminal, once a turn. Its agents
// work in one directory, since that is part of their prompts, and have each a home,
// where the program keeps its settings and their conversations.
type program struct {
	url   string
	bin   string
	dir   string
	homes string
	kids  map[string]string // agents that a model is going to start → their tasks
	programSpec
}

// programSpec is what is particular to one program.
type programSpec struct {
	binary string
	// configure writes the settings, with these headers, into an agent's home.
	configure func(t *testing.T, url, home string, headers map[string]string)
	env       []string
	// arguments of a turn, the agent's first or a later one. The last of them are
	// followed by the prompt.
	first func(home string, child bool) []string
	later func(home string) []string
	// answer finds the turn's last text; it is what the program wrote, if nil.
	answer func(home, out string) (string, error)
	// shell is the model's call of a command.
	shell func(command string) sim.Call
}

// startProgram returns how to start a program of clients/cli.
func startProgram(spec programSpec) func(*testing.T, string) driver {
	return func(t *testing.T, url string) driver {
		installed(t, "clients/cli/node_modules/.installed")
		bin, err := filepath.Abs("clients/cli/node_modules/.bin/" + spec.binary)
		if err != nil {
			t.Fatal(err)
		}
		p := &program{url: url, bin: bin, dir: t.TempDir(), homes: t.TempDir(), kids: map[string]string{}, programSpec: spec}
		for _, name := range []string{"a", "b", "c", "d"} {
			write(t, filepath.Join(p.dir, name), "saw "+name+"\n")
		}
		return p
	}
}

func (p *program) look(at string) sim.Call { return p.shell("cat " + at) }

// delegate lets the model start the same program for another agent: by a script
// that the turn prepares, since only that knows whose child it is.
func (p *program) delegate(agent, task string) sim.Call {
	p.kids[agent] = task
	return p.shell("sh ./" + agent + ".sh")
}

func (p *program) ask(t *testing.T, turn turn) (string, error) {
	t.Helper()
	for agent, task := range p.kids {
		kid := turn
		kid.Name, kid.Parent, kid.Prompt = agent, turn.Name, task
		env, args := p.command(t, kid)
		var script strings.Builder
		script.WriteString("exec env -i")
		for _, word := range append(append(env, p.bin), args...) {
			script.WriteString(" '" + strings.ReplaceAll(word, "'", `'\''`) + "'")
		}
		write(t, filepath.Join(p.dir, agent+".sh"), script.String()+" </dev/null\n")
	}
	clear(p.kids)

	ctx, cancel := context.WithTimeout(t.Context(), replyBound)
	defer cancel()
	env, args := p.command(t, turn)
	command := exec.CommandContext(ctx, p.bin, args...)
	command.Dir, command.Env = p.dir, env
	var told strings.Builder
	command.Stderr = &told
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s\n%s", p.binary, err, told.String(), out)
	}
	if p.answer == nil {
		return strings.TrimSpace(string(out)), nil
	}
	return p.answer(p.home(turn.Name), string(out))
}

func (p *program) home(agent string) string { return filepath.Join(p.homes, agent) }

// command is the program's for a turn; at an agent's first it makes its home.
func (p *program) command(t *testing.T, turn turn) (env, args []string) {
	t.Helper()
	home, args := p.home(turn.Name), []string(nil)
	if _, err := os.Stat(home); err == nil {
		args = p.later(home)
	} else {
		headers := map[string]string{"X-Story": turn.Name}
		if turn.Identified {
			headers["X-Agent-Id"] = turn.Name
		}
		if turn.Identified && turn.Parent != "" {
			headers["X-Agent-Parent-Id"] = turn.Parent
		}
		p.configure(t, p.url, home, headers)
		args = p.first(home, turn.Parent != "")
	}
	env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OPENAI_API_KEY=none",
		// Nothing leads elsewhere: what is tried fails at once.
		"HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1",
	}, p.env...)
	return env, append(args, turn.Prompt)
}
