package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// Enroll adds id to the tree of root. Its mark is the next of one sequence.
func (s *Store) Enroll(ctx context.Context, root agents.Key, id string) error {
	if err := fitPart(root, id); err != nil {
		return err
	}
	return s.write(ctx, agents.Key{}, func(tx *bbolt.Tx) (bool, error) {
		trees := tx.Bucket(treesBucket)
		if id == root.ID {
			if err := tx.Bucket(rootsBucket).Put([]byte(root.Name()), []byte{}); err != nil {
				return false, err
			}
		}
		mark, err := trees.NextSequence()
		if err != nil {
			return false, err
		}
		return true, trees.Put(part(root, id), binary.BigEndian.AppendUint64(nil, mark))
	})
}

// Strike removes a member from the tree of root, if it still has its mark.
func (s *Store) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	return s.write(ctx, agents.Key{}, func(tx *bbolt.Tx) (bool, error) {
		trees := tx.Bucket(treesBucket)
		value := trees.Get(part(root, member.ID))
		if value == nil || markOf(value) != member.Mark {
			return false, nil
		}
		if member.ID == root.ID {
			if err := tx.Bucket(rootsBucket).Delete([]byte(root.Name())); err != nil {
				return false, err
			}
		}
		return true, trees.Delete(part(root, member.ID))
	})
}

// markOf reads a mark; earlier versions of this program enrolled without one.
func markOf(value []byte) uint64 {
	if len(value) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// Members returns the members of the tree of root, sorted by id.
func (s *Store) Members(ctx context.Context, root agents.Key) (members []agents.Member, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		prefix := part(root, "")
		cursor := tx.Bucket(treesBucket).Cursor()
		for k, value := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, value = cursor.Next() {
			members = append(members, agents.Member{ID: string(k[len(prefix):]), Mark: markOf(value)})
		}
		return nil
	})
	return members, err
}

// Roots returns the roots after cursor in the order of their names; a cursor is the name
// of the last root returned.
func (s *Store) Roots(ctx context.Context, cursor string, limit int) ([]agents.Key, string, error) {
	return s.roots(ctx, "", cursor, limit)
}

// RootsOf reads the tenant's stretch of the roots.
func (s *Store) RootsOf(ctx context.Context, tenant, cursor string, limit int) ([]agents.Key, string, error) {
	return s.roots(ctx, agents.Key{Tenant: tenant}.Name(), cursor, limit)
}

// roots returns the roots whose names begin with prefix.
func (s *Store) roots(ctx context.Context, prefix, cursor string, limit int) (roots []agents.Key, next string, err error) {
	limit = max(limit, 1)
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(rootsBucket).Cursor()
		k, _ := c.Seek([]byte(max(prefix, cursor)))
		if k != nil && string(k) == cursor {
			k, _ = c.Next()
		}
		for ; k != nil && bytes.HasPrefix(k, []byte(prefix)); k, _ = c.Next() {
			if len(roots) == limit {
				next = roots[limit-1].Name()
				break
			}
			root, err := agents.ParseName(string(k))
			if err != nil {
				return fmt.Errorf("%w: a root %q: %w", agents.ErrUnfit, k, err)
			}
			roots = append(roots, root)
		}
		return nil
	})
	return roots, next, err
}
