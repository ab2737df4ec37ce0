package record

import (
	"encoding/json"
	"fmt"
)

// A Touch is one read or write of an agent's record by an exchange. In a file it is
// [at, "read" or "write", agent, version].
type Touch struct {
	At    int64 // microseconds since the exchange's start, when it was done
	Write bool
	// Agent is whose record it is, of the exchange's tenant; "" is the list of a tree's agents.
	Agent string
	// Version is what was read, or what was written; one more than what was deleted; 0 where
	// there is none, which is then ordered by time.
	Version uint64
}

// MarshalJSON implements [json.Marshaler].
func (t Touch) MarshalJSON() ([]byte, error) {
	how := "read"
	if t.Write {
		how = "write"
	}
	return json.Marshal([]any{t.At, how, t.Agent, t.Version})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Touch) UnmarshalJSON(raw []byte) error {
	var how string
	list := []any{&t.At, &how, &t.Agent, &t.Version}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	if len(list) != 4 || how != "read" && how != "write" {
		return fmt.Errorf("%s is not a time, read or write, an agent and a version", raw)
	}
	t.Write = how == "write"
	return nil
}
