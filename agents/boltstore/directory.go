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
			if err := tx.Bucket(rootsBucket).Put([]byte(name(root)), []byte{}); err != nil {
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
			if err := tx.Bucket(rootsBucket).Delete([]byte(name(root))); err != nil {
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

// Roots returns the roots after cursor in the order of their escaped names; a cursor is
// the escaped name of the last root returned.
func (s *Store) Roots(ctx context.Context, cursor string, limit int) (roots []agents.Key, next string, err error) {
	limit = max(limit, 1)
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(rootsBucket).Cursor()
		k, _ := c.Seek([]byte(cursor))
		if k != nil && string(k) == cursor {
			k, _ = c.Next()
		}
		for ; k != nil && len(roots) < limit; k, _ = c.Next() {
			root, err := parseName(string(k))
			if err != nil {
				return fmt.Errorf("%w: a root %q: %w", agents.ErrUnfit, k, err)
			}
			roots, next = append(roots, root), string(k)
		}
		if k == nil {
			next = ""
		}
		return nil
	})
	return roots, next, err
}
