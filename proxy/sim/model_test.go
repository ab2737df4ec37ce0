package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCacheAgainstModel compares hits with a model that keeps every token of
// every sequence and looks for the longest common prefix.
func TestCacheAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCache(1 << 20)
		var seen [][]string
		segment := rapid.SampledFrom([]string{"", "a", "abcd", "abcde", "the same long text, again and again", "the same long text, again and agaim"})
		for range rapid.IntRange(1, 8).Draw(t, "sequences") {
			q := newSequence("m")
			var tokens []string
			for _, s := range rapid.SliceOfN(segment, 0, 12).Draw(t, "segments") {
				q.mark(markUser)
				tokens = append(tokens, "<user>")
				q.text(s)
				for ; len(s) > 4; s = s[4:] {
					tokens = append(tokens, s[:4])
				}
				if s != "" {
					tokens = append(tokens, s)
				}
			}
			longest := 0
			for _, old := range seen {
				n := 0
				for n < min(len(old), len(tokens)) && old[n] == tokens[n] {
					n++
				}
				longest = max(longest, n)
			}
			if q.tokens != len(tokens) {
				t.Fatalf("%d tokens, want %d", q.tokens, len(tokens))
			}
			if got, want := c.match(q.blocks), longest/blockTokens; got != want {
				t.Fatalf("hit %d blocks, want %d of %d shared tokens", got, want, longest)
			}
			c.add(q.blocks)
			seen = append(seen, tokens)
		}
	})
}

func TestCacheEvictsDescendantsBeforeAncestors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCache(rapid.IntRange(1, 12).Draw(t, "capacity"))
		chains := [][]digest{{{1}, {2}, {3}, {4}}, {{1}, {2}, {5}, {6}}, {{7}, {8}, {9}, {10}}}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			chain := rapid.SampledFrom(chains).Draw(t, "chain")
			chain = chain[:rapid.IntRange(0, 4).Draw(t, "length")]
			if rapid.Bool().Draw(t, "add") {
				c.add(chain)
			} else {
				c.match(chain)
			}
			if len(c.blocks) > c.capacity {
				t.Fatalf("%d blocks in a cache of %d", len(c.blocks), c.capacity)
			}
			for _, chain := range chains {
				for i := 1; i < len(chain); i++ {
					if c.blocks[chain[i]] != nil && c.blocks[chain[i-1]] == nil {
						t.Fatalf("block %d is resident without its parent", chain[i][0])
					}
				}
			}
		}
	})
}
