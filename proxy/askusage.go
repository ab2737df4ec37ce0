package proxy

import (
	"bytes"
	"fmt"
	"io"

	"trunkline/prefix"
	"trunkline/proxy/sse"
)

// askUsage is the edit that asks for usage at the end of a stream, where the client left
// that open and the provider knows the option; nil when nothing is asked. The event that
// answers it is then kept from the client.
func (s *Server) askUsage(body *prefix.Body, identified bool) []prefix.Edit {
	stream, _ := body.Field("stream")
	wanted := s.AskUsage == AskAll || s.AskUsage == AskIdentified && identified
	if !wanted || !s.Provider.StreamOptions || string(stream) != "true" {
		return nil
	}
	value, ok := body.Field("stream_options")
	switch {
	case !ok || string(value) == "null":
		value = []byte(`{"include_usage":true}`)
	case bytes.HasPrefix(value, []byte("{")):
		members, err := prefix.Members(value)
		if err != nil {
			return nil
		}
		for _, m := range members {
			if m.Name == "include_usage" {
				return nil // the client has said what it wants
			}
		}
		inner := bytes.TrimSpace(value[1 : len(value)-1])
		sep := ","
		if len(inner) == 0 {
			sep = ""
		}
		value = fmt.Appendf(nil, `{"include_usage":true%s%s}`, sep, inner)
	default:
		return nil
	}
	return []prefix.Edit{body.Set("stream_options", value)}
}

// streamWithout relays an event stream to its end, all but the event that holds nothing but
// the usage that the proxy asked for.
func (w *watcher) streamWithout(src io.Reader, out *reply, max int) error {
	events := sse.NewReader(src, max)
	for {
		ev, err := events.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		w.note(ev)
		out.open = ev.Incomplete || ev.More
		if !ev.Incomplete && !ev.Uninspected && usageOnly(ev.Data) {
			continue
		}
		if err := out.write(ev.Raw); err != nil {
			return err
		}
		if err := out.flush(); err != nil {
			return err
		}
	}
}

// usageOnly reports the event that OpenAI sends for include_usage: no choices, and usage. An
// error may look like it, and is the client's to see.
func usageOnly(data []byte) bool {
	if !bytes.Contains(data, []byte(`"usage"`)) {
		return false
	}
	members, err := prefix.Members(data)
	if err != nil {
		return false
	}
	empty, usage := false, false
	for _, m := range members {
		switch value := m.Value.Of(data); m.Name {
		case "choices":
			choices, err := prefix.Elements(value)
			empty = err == nil && len(choices) == 0
		case "usage":
			usage = bytes.HasPrefix(value, []byte("{"))
		case "error":
			if string(value) != "null" {
				return false
			}
		}
	}
	return empty && usage
}
