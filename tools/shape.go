package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A Shape is the envelope of an answer that the proxy itself begins: one that
// is replayed, or that ended before the provider sent a first chunk.
type Shape struct {
	ID      string
	Created int64 // seconds since the epoch; 0 is a value too
	Model   string
}

// NewShape returns a shape whose id is a function of the seed alone, so that a
// retry of a retry gets the same answer.
func NewShape(seed, model string) Shape {
	sum := sha256.Sum256([]byte(seed))
	return Shape{ID: "chatcmpl-" + hex.EncodeToString(sum[:12]), Model: model}
}

// answer returns an empty answer with this envelope.
func (s Shape) answer() *Answer {
	return &Answer{
		ID:      quote(s.ID),
		Created: strconv.AppendInt(nil, s.Created, 10),
		Model:   quote(s.Model),
	}
}

// envelope returns an object of this kind with a's identity and then rest.
func (a *Answer) envelope(object, rest string) []byte {
	dst := append([]byte(`{"id":`), a.ID...)
	dst = append(dst, `,"object":"`+object+`","created":`...)
	dst = append(dst, a.Created...)
	dst = append(append(dst, `,"model":`...), a.Model...)
	if a.Fingerprint != nil {
		dst = append(append(dst, `,"system_fingerprint":`...), a.Fingerprint...)
	}
	return append(append(append(dst, ','), rest...), '}')
}

// frame returns the event of a chunk with a's identity and the given choices.
func (a *Answer) frame(rest string) []byte {
	return append(append([]byte("data: "), a.envelope("chat.completion.chunk", rest)...), "\n\n"...)
}

// deltaFrame returns the event of a chunk with one choice.
func (a *Answer) deltaFrame(delta, finish []byte) []byte {
	return a.frame(`"choices":[{"index":0,"delta":` + string(delta) + `,"finish_reason":` + string(finish) + `}]`)
}

var done = []byte("data: [DONE]\n\n")
