package proxy

import (
	"bytes"
	"io"

	"trunkline/prefix"
	"trunkline/proxy/sse"
	"trunkline/tools"
)

// watcher notes what a relayed answer says of itself, whatever API it belongs to.
type watcher struct {
	*measure
	refused  bool // the provider did not take the request: nothing in its answer is one
	complete bool // the answer says how it ended
	last     bool // it is at its end: what follows, if anything does, says no more
	failed   bool // an error came in place of an answer
}

// stream reads an event stream to its end.
func (w *watcher) stream(src io.Reader, max int) error {
	events := sse.NewReader(src, max)
	for {
		ev, err := events.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		w.note(ev)
	}
}

// note takes in one event.
func (w *watcher) note(ev sse.Event) {
	w.info.Unread = w.info.Unread || ev.Uninspected
	if ev.Incomplete || ev.Uninspected || len(ev.Data) == 0 {
		return
	}
	w.last = w.last || last(ev.Data)
	w.complete = w.complete || finishes(ev.Data)
	w.failed = w.failed || fails(ev)
	if !w.refused {
		w.measure.note(ev.Data)
		w.info.Taken = w.info.Taken || !w.failed
	}
}

// whole reads an answer that comes in one piece; past max bytes it only passes.
func (w *watcher) whole(src io.Reader, max int) error {
	var body bytes.Buffer
	if _, err := io.Copy(&body, io.LimitReader(src, int64(max))); err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, src)
	w.info.Unread = n > 0
	if n == 0 && err == nil && !w.refused {
		w.measure.note(body.Bytes())
		w.failed = fails(sse.Event{Data: body.Bytes()})
	}
	w.complete = err == nil
	w.info.Taken = err == nil && !w.refused && !w.failed
	return err
}

// state is how far the answer got.
func (w *watcher) state(err error) tools.State {
	switch {
	case w.failed:
		return tools.Failed
	case w.last, w.complete && err == nil:
		return tools.Complete
	}
	return tools.Incomplete
}

// finishes reports a finish reason of Chat Completions, which usage may follow, or the last
// event of an answer of another API.
func finishes(data []byte) bool {
	return bytes.Contains(data, []byte(`"finish_reason":"`)) || bytes.Contains(data, []byte(`"finish_reason": "`)) || ends(data)
}

// last reports the last event of an answer. "[DONE]" of Chat Completions does not say how it
// ended: a stream that was cut short may have it as well.
func last(data []byte) bool { return bytes.Equal(data, []byte("[DONE]")) || ends(data) }

// ends reports the last event of Responses and of Messages.
func ends(data []byte) bool {
	for _, mark := range [...]string{`"response.completed"`, `"response.incomplete"`, `"message_stop"`} {
		if bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}

// fails reports an error in place of an answer: an event inside a stream, or a whole
// response. An error beside content is content.
func fails(ev sse.Event) bool {
	if ev.Name == "error" {
		return true
	}
	if !bytes.Contains(ev.Data, []byte(`"error"`)) && !bytes.Contains(ev.Data, []byte(`"response.failed"`)) {
		return false
	}
	members, err := prefix.Members(ev.Data)
	if err != nil {
		return false
	}
	failed := false
	for _, m := range members {
		switch value := string(m.Value.Of(ev.Data)); m.Name {
		case "type":
			if value == `"response.failed"` {
				return true // whatever it repeats of the request and the answer
			}
		case "status":
			if value == `"failed"` {
				return true // a whole response, likewise
			}
		case "error":
			failed = failed || value != "null"
		}
	}
	return failed && !hasContent(ev.Data)
}
