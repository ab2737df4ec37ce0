package proxy

import (
	"container/list"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"trunkline/agents"
	"trunkline/prefix"
	"trunkline/prefix/reuse"
)

// maxKept bounds the memory of the histories that stay in it, in bytes: some dozens of long
// conversations, or thousands of usual ones.
const maxKept = 256 << 20

// branches reads histories and heads from the store, keeping the recent ones. Segments never
// change, so a kept branch is never wrong, only behind; loading another end of it reads what
// is new.
type branches struct {
	store agents.Store
	limit int64 // of memory, in bytes; the latest history stays also where it alone has more

	mu     sync.Mutex
	recent *list.List                   // of *kept, latest first
	at     map[agents.Key]*list.Element // agent → its place in recent
	shared prefix.Footprint             // of the branches
	other  int64                        // bytes of what else is kept
}

type kept struct {
	key    agents.Key
	branch prefix.Branch
	head   prefix.Head    // the head last sent
	headAt agents.BlobRef // where it is stored, if as the agent's own
	path   reuse.Path     // of head and branch, hashed
	// repairs is what the last request that was taken sent in earlier bytes: kind → items
	repairs map[string]int
}

// size is the memory of all but the branch, in bytes.
func (k *kept) size() int64 {
	const fixed, part = 512, 48
	return fixed + int64(k.head.Size()) + part*int64(k.path.Len())
}

func newBranches(store agents.Store) *branches {
	return &branches{store: store, limit: maxKept, recent: list.New(), at: map[agents.Key]*list.Element{}}
}

// The blob ids of a history's parts.
func segmentBlob(node string) string { return "node:" + node }
func headBlob(sum string) string     { return "head:" + sum }

// formatRef and parseRef write a branch's end into a record.
func formatRef(r prefix.Ref) string {
	if r == (prefix.Ref{}) {
		return ""
	}
	return r.Node + ":" + strconv.Itoa(r.N)
}

func parseRef(s string) (prefix.Ref, error) {
	if s == "" {
		return prefix.Ref{}, nil
	}
	node, n, ok := strings.Cut(s, ":")
	count, err := strconv.Atoi(n)
	if !ok || err != nil {
		return prefix.Ref{}, fmt.Errorf("%w: history reference %q", agents.ErrUnreadable, s)
	}
	return prefix.Ref{Node: node, N: count}, nil
}

// load returns the branch that ends at ref. Its segments belong to the agent or, for what
// a fork inherited, to its owners.
func (b *branches) load(ctx context.Context, key agents.Key, owners []string, at string) (prefix.Branch, error) {
	ref, err := parseRef(at)
	if err != nil {
		return prefix.Branch{}, err
	}
	have := b.get(key).branch
	branch, err := have.Load(ref, func(nodes []string) ([][]byte, error) {
		keys := []agents.Key{key}
		for _, id := range owners {
			keys = append(keys, agents.Key{Tenant: key.Tenant, ID: id})
		}
		refs := make([]agents.BlobRef, 0, len(nodes)*len(keys))
		for _, node := range nodes {
			for _, owner := range keys {
				refs = append(refs, agents.BlobRef{Owner: owner, ID: segmentBlob(node)})
			}
		}
		blobs, err := b.store.Blobs(ctx, refs)
		if err != nil {
			return nil, err
		}
		found := make([][]byte, len(nodes))
		for i, blob := range blobs {
			if found[i/len(keys)] == nil {
				found[i/len(keys)] = blob
			}
		}
		return found, nil
	})
	if err != nil {
		return branch, fmt.Errorf("history of agent %s: %w", key.ID, err)
	}
	return branch, nil
}

// head returns a head by its blob.
func (b *branches) head(ctx context.Context, key agents.Key, owner, id string) (prefix.Head, error) {
	if id == "" {
		return prefix.Head{}, nil
	}
	ref := agents.BlobRef{Owner: key, ID: id}
	if owner != "" {
		ref.Owner.ID = owner
	}
	if k := b.get(ref.Owner); k.headAt == ref {
		return k.head, nil
	}
	blobs, err := b.store.Blobs(ctx, []agents.BlobRef{ref})
	if err != nil {
		return prefix.Head{}, err
	}
	if blobs[0] == nil {
		return prefix.Head{}, fmt.Errorf("%w: the head of agent %s: %w", agents.ErrUnreadable, key.ID, prefix.ErrMissing)
	}
	head, err := prefix.DecodeHead(blobs[0])
	if err != nil {
		return head, fmt.Errorf("%w: the head of agent %s: %w", agents.ErrUnreadable, key.ID, err)
	}
	return head, nil
}

func (b *branches) get(key agents.Key) kept {
	b.mu.Lock()
	defer b.mu.Unlock()
	if el := b.at[key]; el != nil {
		b.recent.MoveToFront(el)
		return *el.Value.(*kept)
	}
	return kept{}
}

// keep remembers where an agent's history stands, and forgets those unused longest as far as
// that takes.
func (b *branches) keep(k kept) {
	k.path = k.path.WithoutText()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared.Add(k.branch)
	b.other += k.size()
	if el := b.at[k.key]; el != nil {
		b.drop(el) // only now, so that what the two share is not counted anew
	}
	b.at[k.key] = b.recent.PushFront(&k)
	for b.shared.Bytes()+b.other > b.limit && b.recent.Len() > 1 {
		b.drop(b.recent.Back())
	}
}

// repaired remembers what the agent's request sent in earlier bytes.
func (b *branches) repaired(key agents.Key, repairs map[string]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if el := b.at[key]; el != nil {
		el.Value.(*kept).repairs = repairs
	}
}

func (b *branches) drop(el *list.Element) {
	k := b.recent.Remove(el).(*kept)
	delete(b.at, k.key)
	b.shared.Remove(k.branch)
	b.other -= k.size()
}
