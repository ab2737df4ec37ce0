package reuse

import (
	lru "container/list"

	"trunkline/prefix"
)

// headStore remembers under which head each history was sent last, so that a
// head that breaks the prefix can be compared with the one before it. A history
// is found by its items, whatever head was above them: a nonce in the system
// prompt must not hide whose continuation a request is.
type headStore struct {
	limit, bytes int64
	tips         map[tipKey]*lru.Element  // of *tip
	order        *lru.List                // newest first
	heads        map[[16]byte]*storedHead // sum of a head → its bytes, held once
}

// tipKey names a lineage within a tenant and provider, whatever the model: by
// the history that was sent, or by the client's own name for it.
type tipKey struct {
	tenant, provider, name string
	items                  [16]byte
}

// tip is the last request of a lineage.
type tip struct {
	key  tipKey
	head *storedHead
	size int64 // bytes of the whole request
}

type storedHead struct {
	sum  [16]byte
	head prefix.Head
	tips int // that use it
}

// earlierHead is what a request of the same lineage was sent with.
type earlierHead struct {
	head  *prefix.Head
	bytes int64 // of that whole request
	named bool  // found by the lineage's name, with another history
}

// tipBytes is charged for each tip beside the bytes of its head.
const tipBytes = 384

func newHeadStore(limit int64) headStore {
	return headStore{limit: limit, tips: map[tipKey]*lru.Element{}, order: lru.New(), heads: map[[16]byte]*storedHead{}}
}

// find returns the head under which more than the first shared items of p were
// sent: the one with the longest history that p begins with. If no item is
// shared, the client's name for the lineage counts too. One item alone tells no
// conversation from another: many begin with the same words. And a lineage that
// keeps its head is nobody else's continuation, even where others, under another
// head, have come further with the same words.
func (h *headStore) find(s Scope, p Path, shared int, lineage string) *earlierHead {
	own := h.tips[tipKey{tenant: s.Tenant, provider: s.Provider, name: lineage}]
	if lineage == "" {
		own = nil
	}
	keeps := own != nil && own.Value.(*tip).head.sum == p.headChain(len(p.parts)).Sum
	for n := len(p.items); n > shared && len(p.items) > 1 && !keeps; n-- {
		if t := h.tips[tipKey{tenant: s.Tenant, provider: s.Provider, items: p.items[n-1].Sum}]; t != nil {
			return t.Value.(*tip).earlier()
		}
	}
	if own != nil && shared == 0 {
		named := own.Value.(*tip).earlier()
		named.named = true
		return named
	}
	return nil
}

func (t *tip) earlier() *earlierHead { return &earlierHead{head: &t.head.head, bytes: t.size} }

// keep remembers p's head for its history and, if it has one, its name.
func (h *headStore) keep(s Scope, p Path, lineage string) {
	if int64(p.head.Size()) > h.limit/4 {
		return // it would push out everybody else's
	}
	key := tipKey{tenant: s.Tenant, provider: s.Provider}
	if n := len(p.items); n > 0 {
		key.items = p.items[n-1].Sum
		h.put(key, p)
	}
	if lineage != "" {
		h.put(tipKey{tenant: s.Tenant, provider: s.Provider, name: lineage}, p)
	}
	for h.bytes > h.limit && h.order.Len() > 0 {
		h.drop(h.order.Back())
	}
}

func (h *headStore) put(key tipKey, p Path) {
	sum := p.headChain(len(p.parts)).Sum
	if e := h.tips[key]; e != nil {
		if t := e.Value.(*tip); t.head.sum == sum {
			t.size = p.Bytes(p.Len())
			h.order.MoveToFront(e)
			return
		}
		h.drop(e)
	}
	stored := h.heads[sum]
	if stored == nil {
		stored = &storedHead{sum: sum, head: p.head.Clone()}
		h.heads[sum] = stored
		h.bytes += int64(p.head.Size())
	}
	stored.tips++
	h.bytes += tipBytes
	h.tips[key] = h.order.PushFront(&tip{key, stored, p.Bytes(p.Len())})
}

func (h *headStore) drop(e *lru.Element) {
	t := h.order.Remove(e).(*tip)
	delete(h.tips, t.key)
	h.bytes -= tipBytes
	if t.head.tips--; t.head.tips == 0 {
		delete(h.heads, t.head.sum)
		h.bytes -= int64(t.head.head.Size())
	}
}
