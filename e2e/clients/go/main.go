// Command go is an application on a client library for Go, named by its argument:
// one conversation an agent, and two tools, one of which hands a task to another
// agent within the turn. It reads one turn a line and answers with one line, the
// turn's last text or its error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// turn is a person's prompt to one agent, or a parent's task.
type turn struct {
	Name       string
	Parent     string // "" is an agent without one
	Identified bool
	System     string // of a new conversation
	Prompt     string
}

// headers are those of the turn's agent: name → value.
func (t turn) headers() map[string]string {
	headers := map[string]string{"X-Story": t.Name}
	if t.Identified {
		headers["X-Agent-Id"] = t.Name
		if t.Parent != "" {
			headers["X-Agent-Parent-Id"] = t.Parent
		}
	}
	return headers
}

// conversation is one agent's, as the library keeps it.
type conversation interface {
	// ask adds the prompt and goes on until an answer calls nothing. run carries
	// calls out.
	ask(ctx context.Context, prompt string, run func(name, arguments string) (string, error)) (string, error)
}

type application struct {
	begin         func(turn) conversation
	conversations map[string]conversation // name → what was said
}

func main() {
	begin, ok := map[string]func(turn) conversation{
		"go-openai": beginGoOpenAI,
		"openai-go": beginOpenAIGo,
	}[os.Args[1]]
	if !ok {
		fmt.Fprintf(os.Stderr, "no library %q\n", os.Args[1])
		os.Exit(2)
	}
	a := application{begin, map[string]conversation{}}
	turns, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var t turn
		if err := turns.Decode(&t); err == io.EOF {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var reply struct {
			Text  string `json:"text"`
			Error string `json:"error,omitempty"`
		}
		text, err := a.ask(context.Background(), t)
		if reply.Text = text; err != nil {
			reply.Error = err.Error()
		}
		if err := replies.Encode(reply); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (a application) ask(ctx context.Context, t turn) (string, error) {
	if a.conversations[t.Name] == nil {
		a.conversations[t.Name] = a.begin(t)
	}
	return a.conversations[t.Name].ask(ctx, t.Prompt, func(name, arguments string) (string, error) {
		var args struct{ At, Agent, Task string }
		if err := json.Unmarshal([]byte(arguments), &args); err != nil {
			return "", err
		}
		switch name {
		case "look":
			return "saw " + args.At, nil
		case "delegate":
			child := t
			child.Name, child.Parent, child.Prompt = args.Agent, t.Name, args.Task
			said, err := a.ask(ctx, child)
			return args.Agent + " ends with: " + said, err
		}
		return "", fmt.Errorf("the model called %s, which this application does not have", name)
	})
}

// definition is what models see of a tool.
type definition struct {
	name, description string
	fields            []string // all of them strings, all required
}

var definitions = []definition{
	{"look", "Look at a thing.", []string{"at"}},
	{"delegate", "Hand a task to a new agent.", []string{"agent", "task"}},
}

func (d definition) parameters() map[string]any {
	properties := map[string]any{}
	for _, field := range d.fields {
		properties[field] = map[string]any{"type": "string"}
	}
	return map[string]any{"type": "object", "properties": properties, "required": d.fields}
}
