package proxy

import (
	"strings"

	"trunkline/prefix/tokenizer"
)

// maxEstimate bounds the text of one estimate, in bytes: enough for a rate.
const maxEstimate = 64 << 10

// estimate guesses the prompt's tokens when the provider did not report any and never has:
// from the tokens a byte of what is new in the request. It runs beside everything, one at a
// time; while one runs others are left out, since each serves the same purpose.
func (m *measure) estimate() {
	if m.shared.Paced() || !m.s.estimating.CompareAndSwap(false, true) {
		return
	}
	var text strings.Builder
	for _, raw := range m.fresh {
		if text.Len()+len(raw) > maxEstimate {
			raw = raw[:max(0, maxEstimate-text.Len())]
		}
		text.Write(raw)
	}
	go func() {
		defer m.s.estimating.Store(false)
		n, err := tokenizer.Count(text.String())
		if err != nil || n == 0 {
			return
		}
		total := float64(m.info.Bytes) * float64(n) / float64(text.Len())
		m.s.index.Guess(m.scope, m.path, int64(total))
	}()
}
