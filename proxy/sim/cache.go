package sim

import "sync"

// cache is one replica's prefix cache: least recently used blocks go first.
//
// Every operation touches a chain from its end to its start, so an ancestor is
// never older than its descendants, and eviction takes chains from their ends.
type cache struct {
	capacity int

	mu      sync.Mutex
	blocks  map[digest]*block // block's name → place in the ring
	ring    block             // sentinel: next is the newest, prev the oldest
	evicted int
}

type block struct {
	name       digest
	prev, next *block
}

func newCache(capacity int) *cache {
	c := &cache{capacity: capacity, blocks: make(map[digest]*block)}
	c.ring.prev, c.ring.next = &c.ring, &c.ring
	return c
}

// match returns how many leading blocks of chain are resident, and touches them.
func (c *cache) match(chain []digest) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(chain) && c.blocks[chain[n]] != nil {
		n++
	}
	for i := n - 1; i >= 0; i-- {
		b := c.blocks[chain[i]]
		b.unlink()
		b.linkAfter(&c.ring)
	}
	return n
}

// add makes all blocks of chain resident, as far as the capacity reaches.
func (c *cache) add(chain []digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(chain) - 1; i >= 0; i-- {
		b := c.blocks[chain[i]]
		if b == nil {
			b = &block{name: chain[i]}
			c.blocks[b.name] = b
		} else {
			b.unlink()
		}
		b.linkAfter(&c.ring)
		if len(c.blocks) > c.capacity {
			oldest := c.ring.prev
			oldest.unlink()
			delete(c.blocks, oldest.name)
			c.evicted++
		}
	}
}

func (c *cache) stats() ReplicaStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ReplicaStats{Blocks: len(c.blocks), Evicted: c.evicted}
}

func (b *block) unlink() { b.prev.next, b.next.prev = b.next, b.prev }

func (b *block) linkAfter(a *block) {
	b.prev, b.next = a, a.next
	a.next.prev = b
	a.next = b
}
