package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"trunkline/proxy"
)

// TestStreamsPassUnchanged relays streams of every odd form to both kinds of clients, byte
// for byte (but that a comment behind the finish overtakes an agent's), whether they are
// written in one piece or byte by byte, and checks what they count as.
func TestStreamsPassUnchanged(t *testing.T) {
	text := delta(`{"role":"assistant","content":"a"}`, "") + delta(`{"content":"b"}`, "")
	end := delta(`{}`, "stop") + done
	call := func(entry string) string { return `{"tool_calls":[` + entry + `]}` }
	for name, c := range map[string]struct {
		body    string
		outcome proxy.Outcome
	}{
		"plain":                             {text + end, proxy.OutcomeOK},
		"case 17, usage with choices":       {text + `data: {"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":300}}` + "\n\n" + end, proxy.OutcomeOK},
		"case 17, usage at the end":         {text + delta(`{}`, "stop") + usage(300, 256) + done, proxy.OutcomeOK},
		"case 20, repeated names":           {delta(call(`{"index":0,"id":"a1","function":{"name":"pick","arguments":""}}`), "") + delta(call(`{"index":0,"id":"","function":{"name":"","arguments":"{\"to\":"}}`), "") + delta(call(`{"index":0,"id":"a1","function":{"name":"pick","arguments":"\"b\"}"}}`), "") + delta(`{}`, "tool_calls") + done, proxy.OutcomeOK},
		"case 23, call with finish":         {delta(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a1","function":{"name":"pick","arguments":"{}"}}]}`, "tool_calls") + usage(10, 0) + done, proxy.OutcomeOK},
		"case 24, stop with calls":          {delta(call(`{"index":0,"id":"a1","function":{"name":"pick","arguments":"{}"}}`), "") + delta(`{}`, "stop") + done, proxy.OutcomeOK},
		"case 24, calls without calls":      {text + delta(`{}`, "tool_calls") + done, proxy.OutcomeOK},
		"case 24, length in a call":         {delta(call(`{"index":0,"id":"a1","function":{"name":"pick","arguments":"{\"to\":\"b\",\"te"}}`), "") + delta(`{}`, "length") + done, proxy.OutcomeOK},
		"case 26, keep-alives":              {": OPENROUTER PROCESSING\n\n: x\nretry: 1000\n\nid: 7\n" + text + ": ping\n\n" + end, proxy.OutcomeOK},
		"case 26, only comments":            {": a\n\n: b\n\n", proxy.OutcomeIncomplete},
		"case 28, lines of 70 KB and 5 MiB": {delta(`{"content":"`+strings.Repeat("x", 70_000)+`"}`, "") + delta(`{"content":"`+strings.Repeat("y", 5<<20)+`"}`, "") + delta(call(`{"index":0,"id":"a1","function":{"name":"pick","arguments":"{}"}}`), "tool_calls") + done, proxy.OutcomeOK},
		"case 29, error":                    {`data: {"error":{"message":"busy","code":502},"choices":[]}` + "\n\n", proxy.OutcomeProvider},
		"case 29, error without choices":    {`data: {"error":{"message":"busy"}}` + "\n\n" + done, proxy.OutcomeProvider},
		"case 29, error by name":            {"event: error\ndata: {\"message\":\"busy\"}\n\n", proxy.OutcomeProvider},
		"case 29, error behind text":        {text + `data: {"error":{"message":"busy"},"choices":[]}` + "\n\n", proxy.OutcomeProvider},
		"case 29, content with an error":    {`data: {"error":null,"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n" + end, proxy.OutcomeOK},
		"case 30 b, no end":                 {text, proxy.OutcomeIncomplete},
		"case 30 c, half an event":          {text + `data: {"choices":[{"index":0,"de`, proxy.OutcomeIncomplete},
		"case 30 d, no finish":              {text + done, proxy.OutcomeIncomplete},
		"finish without DONE":               {text + delta(`{}`, "stop"), proxy.OutcomeOK},
		"no blank line behind DONE":         {strings.TrimSuffix(text+end, "\n"), proxy.OutcomeOK},
		"no line end behind DONE":           {strings.TrimSuffix(text+end, "\n\n"), proxy.OutcomeOK},
		"half a comment behind the finish":  {text + delta(`{}`, "stop") + ": by", proxy.OutcomeOK},
		"case 33, two choices":              {chunk(`{"index":0,"delta":{"content":"a"}}`) + chunk(`{"index":1,"delta":{"content":"b"}}`) + chunk(`{"index":1,"delta":{},"finish_reason":"stop"}`) + chunk(`{"index":0,"delta":{},"finish_reason":"stop"}`) + done, proxy.OutcomeOK},
		"CRLF":                              {strings.ReplaceAll(text+end, "\n", "\r\n"), proxy.OutcomeOK},
		"CR":                                {strings.ReplaceAll(text+end, "\n", "\r"), proxy.OutcomeOK},
		"byte order mark, no space":         {"\xef\xbb\xbf" + strings.ReplaceAll(text+end, "data: ", "data:"), proxy.OutcomeOK},
		"several data lines":                {strings.ReplaceAll(text, `,"choices"`, ",\ndata: \"choices\"") + end, proxy.OutcomeOK},
		"empty events":                      {"\n\n\n" + text + "data:\n\n" + "data\n\n" + end, proxy.OutcomeOK},
		"behind DONE":                       {text + end + "data: {\"x\":1}\n\n", proxy.OutcomeOK},
		"no JSON":                           {"data: hello\n\n" + text + end, ""},
		"empty":                             {"", proxy.OutcomeIncomplete},
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				pieces := []string{c.body}
				if len(c.body) < 4096 {
					pieces = append(strings.Split(c.body, ""), "")
				}
				for _, p := range [][]string{{c.body}, pieces} {
					e := newEdge(t, stream(p...), withTools)
					a := e.post(askStream, who...)
					if a.err != nil || a.body != c.body {
						t.Errorf("error %v\ngot  %.1000q\nwant %.1000q", a.err, a.body, c.body)
					}
					if o := e.outcome(); c.outcome != "" && o != c.outcome {
						t.Errorf("outcome %s, want %s", o, c.outcome)
					}
				}
			})
		})
	}
}

// TestCase28PastTheCeiling relays an event that is too long to be read, and what follows; the
// account of the request says so, and so does the log.
func TestCase28PastTheCeiling(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		body := delta(`{"content":"`+strings.Repeat("y", 100_000)+`"}`, "") + strings.Join(said("yes"), "")
		for answer, unread := range map[string]bool{body: true, strings.Join(said("yes"), ""): false} {
			var log bytes.Buffer
			steps := make(chan proxy.StepInfo, 1)
			e := newEdge(t, stream(answer), measuring(steps), logging(&log), func(c *proxy.Config) { c.EventMax = 4096 })
			if a := e.post(askStream, who...); a.err != nil || a.body != answer {
				t.Errorf("error %v, %d bytes, want %d", a.err, len(a.body), len(answer))
			}
			if info := <-steps; info.Unread != unread || strings.Contains(log.String(), "relayed in part unread") != unread {
				t.Errorf("unread: %v, want %v, and the log is %s", info.Unread, unread, log.String())
			}
		}
	})
}

// TestCase30 breaks an answer off: what came is relayed, nothing is made up, and the client
// can tell that it is not the end. An agent's client reads an error where an event may
// stand.
func TestCase30(t *testing.T) {
	text := delta(`{"role":"assistant","content":"a"}`, "") + delta(`{"content":"b"}`, "")
	for name, part := range map[string]string{
		"at a boundary":      text,
		"in an event":        text + `data: {"choices":[{"ind`,
		"before any event":   "",
		"behind the finish":  text + delta(`{}`, "stop"),
		"in a line's ending": text + "data: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, abort(stream(part)))
				a := e.post(askStream, who...)
				if a.err == nil {
					t.Error("the transfer ended as if it were whole")
				}
				want := part
				if who != nil {
					want = strings.TrimSuffix(part, delta(`{}`, "stop")) // the end is told once it is recorded
					if strings.HasSuffix(want, "\n\n") || want == "" {
						i := strings.LastIndex(a.body, "data: ")
						if i < 0 || !strings.Contains(a.body[i:], `"code":"upstream_broken"`) || !strings.Contains(a.body[i:], "terminated") || !strings.HasSuffix(a.body, "\n\n") {
							t.Errorf("no error event: %q", a.body)
						} else {
							a.body = a.body[:i]
						}
					}
				}
				if a.body != want {
					t.Errorf("got  %q\nwant %q", a.body, want)
				}
				if strings.Contains(a.body, "[DONE]") {
					t.Errorf("an end was made up: %q", a.body)
				}
				if o := e.outcome(); o != proxy.OutcomeIncomplete {
					t.Errorf("outcome %s", o)
				}
			})
		})
	}
}

// TestBrokenWholeAnswer checks that half a JSON body is never given as a whole one.
func TestBrokenWholeAnswer(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		for _, length := range []string{"", "1000"} {
			e := newEdge(t, abort(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				io.WriteString(w, saidJSON("yes")[:40])
			}))
			a := e.post(ask, who...)
			if told := a.err == nil && a.StatusCode == 502 && a.Header.Get("X-Trunkline-Error") == "upstream_broken"; a.err == nil && !told {
				t.Errorf("status %d, body %q", a.StatusCode, a.body)
			}
			if o := e.outcome(); o != proxy.OutcomeIncomplete {
				t.Errorf("outcome %s", o)
			}
		}
	})
}

// TestBrokenWholeAnswerAsItCame: a body of a known length that breaks off does so for the
// client as well, with the status and the part that came.
func TestBrokenWholeAnswerAsItCame(t *testing.T) {
	part := saidJSON("yes")[:40]
	e := newEdge(t, abort(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
	}))
	if a := e.post(ask); a.err == nil || a.Response == nil || a.StatusCode != 200 || a.body != part {
		t.Errorf("status %v, body %q, %v; want 200 and what came", a.Response, a.body, a.err)
	}
}
