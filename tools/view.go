package tools

import "bytes"

// ViewConfig says whose answer a View shows.
type ViewConfig struct {
	// Own reports whether calls of this name are the proxy's. It must give the
	// same answer for the same name. Nil: none is.
	Own func(name string) bool

	// HideUsage removes the usage-only event: the proxy asked the provider for
	// it and the client did not.
	HideUsage bool

	// Shape is the envelope of an answer that is interrupted before the first
	// chunk, or begins with a [View.Prelude].
	Shape Shape
}

// A View turns the streams of one or more provider steps into the one answer
// that a client sees. It is fed each event as it came and returns the bytes to
// write at once; those are the event's own bytes unless it must differ.
//
//   - Calls of the proxy are left out; the client's are numbered from 0 without
//     gaps. An event with a call that has no name yet waits, with those behind
//     it, until the name has come.
//   - The event with the finish reason and all behind it wait for [View.End].
//   - Steps after the first continue the first one: its id, one role.
//   - Events without data (comments, keep-alives) pass at any time.
//
// Where the answer has several choices nothing is changed at all.
type View struct {
	cfg    ViewConfig
	first  *Answer  // has the identity that the client sees
	answer *Answer  // the current step
	later  bool     // the client has already seen an earlier step
	role   bool     // the client has already seen a role
	usages [][]byte // of the steps that ended; nil for one that did not report

	queue   []frame // waits for the name of a call
	held    []frame // from the finish on, waits for End
	holding bool

	places  map[*call]place // of the current step's calls[:decided]
	decided int
	ours    int // calls of the proxy in the current step
	theirs  int // calls of the client in the whole answer
}

// A place says where the client sees a call.
type place struct {
	ours     bool
	index    int  // among the client's calls
	renumber bool // a call of the proxy came before it: the provider's index does not count
}

// A frame is one event. chunk says whether c and calls were read from it.
type frame struct {
	raw   []byte
	chunk bool
	c     chunk
	calls []*call // one for each entry of c.toolCalls
	last  bool    // it has the finish reason, or is "[DONE]"
}

func (f frame) clone() frame {
	f.raw, f.c.data = bytes.Clone(f.raw), bytes.Clone(f.c.data)
	return f
}

// NewView returns a View before its first step.
func NewView(cfg ViewConfig) *View {
	if cfg.Own == nil {
		cfg.Own = func(string) bool { return false }
	}
	v := &View{cfg: cfg}
	v.begin()
	v.first = v.answer
	return v
}

// begin starts a step with the state of none before it.
func (v *View) begin() {
	v.answer = new(Answer)
	v.queue, v.held, v.holding = nil, nil, false
	v.places, v.decided, v.ours = make(map[*call]place), 0, 0
}

// Answer returns what the current step has brought so far, the proxy's own
// calls included.
func (v *View) Answer() *Answer { return v.answer }

// Frame takes in one event of the current step: its raw bytes, its name and
// its data, nil for one without. It returns the bytes to write, valid until
// the next call.
func (v *View) Frame(raw []byte, name string, data []byte) []byte {
	if data == nil {
		return raw
	}
	f := frame{raw: raw}
	wasDone := v.answer.Done
	if f.c, f.chunk = v.answer.read(name, data); f.chunk {
		f.calls = v.answer.add(&f.c)
	}
	f.last = v.answer.Done && !wasDone || f.chunk && given(f.c.data, f.c.finish)
	return v.pass(f)
}

// Pass takes in a piece of an event that is too long to be read. It returns the
// bytes to write.
func (v *View) Pass(raw []byte) []byte {
	v.answer.Skip()
	return v.pass(frame{raw: raw})
}

// Rest takes in what stands behind the last event of a stream that has ended, such as a
// "[DONE]" without its blank line. No client dispatches it: behind the finish nothing is
// missing, before it a part of the answer is.
func (v *View) Rest(raw []byte) []byte {
	if v.answer.Finish == "" {
		v.answer.Skip()
	}
	return v.pass(frame{raw: raw})
}

func (v *View) pass(f frame) []byte {
	a := v.answer
	over := a.Finish != "" || a.Done || a.Failure != nil || a.Unread || a.Multiple
	if !v.decide(over, false) {
		v.queue = append(v.queue, f.clone())
		return nil
	}
	if len(v.queue) == 0 {
		return v.emit(f)
	}
	return append(v.flush(), v.emit(f)...)
}

// flush emits the frames that waited for a name.
func (v *View) flush() []byte {
	var out []byte
	for _, f := range v.queue {
		out = append(out, v.emit(f)...)
	}
	v.queue = nil
	return out
}

// decide places the calls in order, and reports whether all are placed. A call
// without a name stops it, unless no name can come any more: then nobody's call
// is the client's, or dropped.
func (v *View) decide(over, drop bool) bool {
	for ; v.decided < len(v.answer.batch.calls); v.decided++ {
		c := v.answer.batch.calls[v.decided]
		nameless := len(c.name) == 0
		if nameless && !over {
			return false
		}
		if nameless && drop || !nameless && v.cfg.Own(unescape(c.name)) {
			v.places[c] = place{ours: true}
			v.ours++
			continue
		}
		v.places[c] = place{index: v.theirs, renumber: v.ours > 0}
		v.theirs++
	}
	return true
}

// emit returns the bytes of a frame, or holds it if the answer may end there.
func (v *View) emit(f frame) []byte {
	if v.answer.Multiple {
		return v.untouched(f)
	}
	if v.holding = v.holding || f.last; v.holding {
		v.held = append(v.held, f.clone())
		return nil
	}
	return v.render(f, ending{})
}

// untouched returns the bytes of a frame and of those held before it.
func (v *View) untouched(f frame) []byte {
	if len(v.held) == 0 {
		return f.raw
	}
	var out []byte
	for _, h := range v.held {
		out = append(out, h.raw...)
	}
	v.held = nil
	return append(out, f.raw...)
}

// End ends the current step. With keep it also ends the client's answer: the
// held events are returned, the finish and the usage as the client must see
// them. Without keep another step goes on with the answer: what the held
// events say is returned, without finish, usage and "[DONE]".
//
// A stream that broke ends with keep: what it did not bring is not made up.
func (v *View) End(keep bool) []byte {
	v.decide(true, false)
	out := v.flush()
	end := ending{finish: []byte("null"), usage: []byte("null"), swallow: true}
	if keep {
		end = ending{finish: finishFor(v.answer.Finish, v.ours, v.theirs), usage: v.usage()}
	}
	for _, f := range v.held {
		out = append(out, v.render(f, end)...)
	}
	v.usages = append(v.usages, v.answer.Usage)
	v.later = true
	v.begin()
	return out
}

// usage returns the raw usage for the client, nil for the provider's.
func (v *View) usage() []byte {
	if len(v.usages) == 0 || v.answer.Usage == nil {
		return nil
	}
	return combine(append(v.usages[:len(v.usages):len(v.usages)], v.answer.Usage))
}

// Interrupt ends the client's answer where it stands: with what was said, then
// a finish "stop" and "[DONE]" in the shape of the chunks so far. It is for
// turns that the proxy itself stops, never for a provider that broke off.
func (v *View) Interrupt() []byte {
	v.decide(true, true)
	out := v.End(false)
	delta := `{}`
	if !v.role {
		delta = `{"role":"assistant","content":""}`
	}
	out = append(out, v.identity().deltaFrame([]byte(delta), []byte(`"stop"`))...)
	return append(out, done...)
}

// Prelude begins the client's answer with the text of earlier steps, given as
// their assistant items, that an interrupted answer already went through. It
// comes before the first frame and returns the bytes to write, nil if those
// steps said nothing.
func (v *View) Prelude(messages [][]byte) []byte {
	said := said(messages)
	if len(said) == 0 {
		return nil
	}
	v.first, v.later, v.role = v.cfg.Shape.answer(), true, true
	delta := append([]byte(`{"role":"assistant","content":"`), said...)
	return v.first.deltaFrame(append(delta, `"}`...), []byte("null"))
}

// identity returns the envelope that the client saw, completed by the
// configured one.
func (v *View) identity() *Answer {
	id := *v.first
	shape := v.cfg.Shape.answer()
	if id.ID == nil {
		id.ID = shape.ID
	}
	if id.Created == nil {
		id.Created = shape.Created
	}
	if id.Model == nil {
		id.Model = shape.Model
	}
	return &id
}
