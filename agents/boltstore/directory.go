package boltstore

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// Enroll adds id to the tree of root.
func (s *Store) Enroll(ctx context.Context, root agents.Key, id string) error {
	if err := fitPart(root, id); err != nil {
		return err
	}
	return s.write(ctx, agents.Key{}, func(tx *bbolt.Tx) (bool, error) {
		trees := tx.Bucket(treesBucket)
		if trees.Get(part(root, id)) != nil {
			return false, nil
		}
		if id == root.ID {
			if err := tx.Bucket(rootsBucket).Put([]byte(root.Name()), []byte{}); err != nil {
				return false, err
			}
		}
		return true, trees.Put(part(root, id), []byte{})
	})
}

// Strike removes id from the tree of root.
func (s *Store) Strike(ctx context.Context, root agents.Key, id string) error {
	return s.write(ctx, agents.Key{}, func(tx *bbolt.Tx) (bool, error) {
		trees := tx.Bucket(treesBucket)
		if trees.Get(part(root, id)) == nil {
			return false, nil
		}
		if id == root.ID {
			if err := tx.Bucket(rootsBucket).Delete([]byte(root.Name())); err != nil {
				return false, err
			}
		}
		return true, trees.Delete(part(root, id))
	})
}

// Members returns the ids in the tree of root, sorted.
func (s *Store) Members(ctx context.Context, root agents.Key) (ids []string, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		prefix := part(root, "")
		cursor := tx.Bucket(treesBucket).Cursor()
		for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
			ids = append(ids, string(k[len(prefix):]))
		}
		return nil
	})
	return ids, err
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
