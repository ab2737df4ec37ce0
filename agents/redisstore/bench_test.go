package redisstore_test

import (
	"fmt"
	"sync"
	"testing"

	"trunkline/agents"
	"trunkline/agents/redisstore/redistest"
)

// BenchmarkCommit commits a record of 1 KB with one new blob of 1 KB. Each writer has
// an agent of its own.
func BenchmarkCommit(b *testing.B) {
	server := redistest.Start(b)
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			server.Do("FLUSHALL")
			s := open(b, server.URL())
			defer s.Close()
			data := make([]byte, 1024)
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					key := agents.Key{Tenant: "local", ID: fmt.Sprint(w)}
					var version uint64
					for i := w; i < b.N; i += writers {
						put := []agents.Blob{{ID: fmt.Sprint(i), Data: data}}
						next, err := s.Commit(b.Context(), key, agents.Change{Version: version, Data: data, Put: put})
						if err != nil {
							b.Error(err)
							return
						}
						version = next
					}
				})
			}
			wg.Wait()
		})
	}
}
