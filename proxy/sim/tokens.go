package sim

import "crypto/sha256"

const (
	blockTokens = 16
	tokenBytes  = 4
	slotBytes   = 1 + tokenBytes // a token's kind or length, then its bytes
)

// digest names a block together with everything before it.
type digest [sha256.Size]byte

// marker is a token of the template that no text can spell.
type marker byte

const (
	markSystem marker = 0x80 + iota
	markTools
	markUser
	markAssistant
	markTool
	markOther
	markOption
	markReasoning
	markContent
	markCall
	markArguments
	markEnd
)

// sequence is a token sequence, kept as the chained hashes of its full blocks
// and the tokens of the open one. Appending never changes a full block, so the
// blocks of a prefix are a prefix of the blocks.
type sequence struct {
	// buf is the hash input of the open block: its parent's digest, then slots.
	buf    [sha256.Size + blockTokens*slotBytes]byte
	tokens int
	blocks []digest

	points  []point
	content int // texts and calls so far
}

// newSequence starts a sequence in a name space; two name spaces share no block.
func newSequence(space string) *sequence {
	q := new(sequence)
	seed := sha256.Sum256([]byte(space))
	copy(q.buf[:], seed[:])
	return q
}

func (q *sequence) mark(m marker) {
	*q.slot() = [slotBytes]byte{byte(m)}
	q.advance()
}

// text appends one token for each 4 bytes of s; the last may be shorter.
func (q *sequence) text(s string) {
	for ; len(s) >= tokenBytes; s = s[tokenBytes:] {
		*q.slot() = [slotBytes]byte{tokenBytes, s[0], s[1], s[2], s[3]}
		q.advance()
	}
	if s != "" {
		slot := [slotBytes]byte{byte(len(s))}
		copy(slot[1:], s)
		*q.slot() = slot
		q.advance()
	}
}

// name names all tokens so far. It is no block's: the hashed text has another length.
func (q *sequence) name() digest {
	open := sha256.Size + q.tokens%blockTokens*slotBytes
	return sha256.Sum256(append(q.buf[:open:open], 'n'))
}

func (q *sequence) slot() *[slotBytes]byte {
	at := sha256.Size + q.tokens%blockTokens*slotBytes
	return (*[slotBytes]byte)(q.buf[at:])
}

func (q *sequence) advance() {
	q.tokens++
	if q.tokens%blockTokens != 0 {
		return
	}
	sum := sha256.Sum256(q.buf[:])
	copy(q.buf[:], sum[:])
	q.blocks = append(q.blocks, sum)
}
