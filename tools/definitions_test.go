package tools

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// The definitions stand in the prompt prefix of every agent that was ever
// created. If this test fails, the change makes providers prefill all of those
// conversations again: change the golden file only if that is meant.
func TestDefinitionsArePinned(t *testing.T) {
	want, err := os.ReadFile("testdata/definitions.golden")
	if err != nil {
		t.Fatal(err)
	}
	got := append(bytes.Join(Standard(Names()), []byte{'\n'}), '\n')
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDefinitionsAreFunctionToolsOfStrings(t *testing.T) {
	fields := map[string]struct{ all, required []string }{
		SendMessage:    {[]string{"agent_id", "message"}, []string{"agent_id", "message"}},
		InterruptAgent: {[]string{"agent_id"}, []string{"agent_id"}},
		ListAgents:     {[]string{"scope"}, []string{}},
		Subagent:       {[]string{"context", "description", "prompt"}, []string{"description", "prompt"}},
	}
	for _, raw := range Standard(Names()) {
		var tool struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        struct {
					Type                 string
					Properties           map[string]struct{ Type, Description string }
					Required             []string
					AdditionalProperties *bool
				}
			}
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		f := tool.Function
		if tool.Type != "function" || f.Description == "" || f.Parameters.Type != "object" ||
			f.Parameters.AdditionalProperties == nil || *f.Parameters.AdditionalProperties {
			t.Errorf("%s: %+v", f.Name, tool)
		}
		var names []string
		for name, p := range f.Parameters.Properties {
			if names = append(names, name); p.Type != "string" || p.Description == "" {
				t.Errorf("%s: %s is %+v", f.Name, name, p)
			}
		}
		slices.Sort(names)
		if want := fields[f.Name]; !slices.Equal(names, want.all) || !slices.Equal(f.Parameters.Required, want.required) || f.Parameters.Required == nil {
			t.Errorf("%s: fields %v, required %v", f.Name, names, f.Parameters.Required)
		}
	}
}

func TestStandardKeepsItsOrder(t *testing.T) {
	all := Standard(Names())
	got := Standard([]string{ListAgents, "other", SendMessage})
	if len(all) != 4 || len(got) != 2 || !bytes.Equal(got[0], all[0]) || !bytes.Equal(got[1], all[2]) {
		t.Errorf("got %q", got)
	}
	if got := Standard(nil); got != nil {
		t.Errorf("none: %q", got)
	}
	if want := []string{SendMessage, InterruptAgent, ListAgents, Subagent}; !slices.Equal(Names(), want) {
		t.Errorf("names %v", Names())
	}
}
