package reuse

import "math"

// A pace is how many tokens a provider makes of a weight, as its reports show. It is one
// figure for all conversations of a scope: what text has more tokens for its size than
// other text is in the weight. Of the two measures of a weight it follows the one by which
// it would have been less wrong so far. The zero pace goes by what common vocabularies do.
type pace struct {
	tokens, text, pieces float64 // reported, and what was weighed of the same parts; recent ones count more
	byText, byPieces     float64 // tokens by which either measure was wrong
	known                bool    // something was reported, or guessed
	guessed              bool    // and only that: the first report takes its place
}

// fade is what an earlier report counts for at each new one.
const fade = 0.97

// firm is how many tokens of reports weigh as much as what is known beforehand: of all
// vocabularies, or, where a lineage shows its own pace, of the scope.
const firm = 1000

// per returns the tokens for a unit of either measure.
func (p pace) per() (text, pieces float64) {
	return (p.tokens + firm/10) / (p.text + firm/10*4), (p.tokens + firm/10) / (p.pieces + firm/10)
}

// of returns the tokens that a weight comes to.
func (p pace) of(w Weight) float64 {
	text, pieces := p.per()
	if p.byText < p.byPieces {
		return text * float64(w.Text)
	}
	return pieces * float64(w.Pieces)
}

// with learns from one more report. What is far from everything before, such as the
// tokens of a picture, counts only up to twice of what it would have been taken for.
func (p pace) with(w Weight, tokens int64) pace {
	if tokens <= 0 || w.Text <= 0 {
		return p
	}
	if p.guessed {
		p = pace{}
	}
	text, pieces := p.per()
	byText, byPieces := text*float64(w.Text), pieces*float64(w.Pieces)
	n := within(float64(tokens), p.of(w))
	return pace{
		tokens: fade*p.tokens + n, text: fade*p.text + float64(w.Text), pieces: fade*p.pieces + float64(w.Pieces),
		byText: fade*p.byText + math.Abs(byText-n), byPieces: fade*p.byPieces + math.Abs(byPieces-n),
		known: true,
	}
}

// within returns n, or half or twice of what was expected where it is beyond that.
func within(n, expected float64) float64 { return min(max(n, expected/2), expected*2) }

// factor is how a lineage's own pace differs from its scope's, given a part of it.
func (p pace) factor(w Weight, tokens int64) float64 {
	expected := p.of(w)
	return (within(float64(tokens), expected) + firm) / (expected + firm)
}
