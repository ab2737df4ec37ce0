package tokenizer

import (
	"fmt"
	"sync"

	tiktoken "github.com/tiktoken-go/tokenizer"
)

var codec = sync.OnceValues(func() (tiktoken.Codec, error) { return tiktoken.Get(tiktoken.O200kBase) })

// Count returns the number of tokens in text. It may be used by several goroutines.
func Count(text string) (int, error) {
	c, err := codec()
	if err != nil {
		return 0, fmt.Errorf("tokenizer: %w", err)
	}
	return c.Count(text)
}
