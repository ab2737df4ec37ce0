package redisstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// A root stands in two keys that may live on two servers: its own tree, and the list of
// roots. The list must hold every root whose tree holds the root, also when one process
// strikes a root that another enrolls: Enroll writes the tree first and the list second;
// Strike goes the same way, then looks at the tree again and repairs the list.

// Enroll adds id to the tree of root.
func (s *Store) Enroll(ctx context.Context, root agents.Key, id string) error {
	err := s.client.SAdd(ctx, treeKey(root), id).Err()
	if err == nil && id == root.ID {
		err = s.list(ctx, root)
	}
	return unavailable(ctx, err)
}

// Strike removes id from the tree of root.
func (s *Store) Strike(ctx context.Context, root agents.Key, id string) error {
	err := s.client.SRem(ctx, treeKey(root), id).Err()
	if err == nil && id == root.ID {
		err = s.unlist(ctx, root)
	}
	return unavailable(ctx, err)
}

func (s *Store) list(ctx context.Context, root agents.Key) error {
	return s.client.ZAdd(ctx, rootsKey, redis.Z{Member: name(root)}).Err()
}

func (s *Store) unlist(ctx context.Context, root agents.Key) error {
	if err := s.client.ZRem(ctx, rootsKey, name(root)).Err(); err != nil {
		return err
	}
	back, err := s.client.SIsMember(ctx, treeKey(root), root.ID).Result()
	if err != nil || !back {
		return err
	}
	return s.list(ctx, root)
}

// Members returns the ids in the tree of root, sorted.
func (s *Store) Members(ctx context.Context, root agents.Key) ([]string, error) {
	ids, err := s.client.SMembers(ctx, treeKey(root)).Result()
	slices.Sort(ids)
	return ids, unavailable(ctx, err)
}

// Roots returns the roots after cursor in the order of their escaped names; a cursor is
// the escaped name of the last root returned.
func (s *Store) Roots(ctx context.Context, cursor string, limit int) (roots []agents.Key, next string, err error) {
	limit = max(limit, 1)
	after := "-"
	if cursor != "" {
		after = "(" + cursor
	}
	// One more than asked tells whether this page is the last.
	names, err := s.client.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: rootsKey, ByLex: true, Start: after, Stop: "+", Count: int64(limit) + 1,
	}).Result()
	if err != nil {
		return nil, "", unavailable(ctx, err)
	}
	if len(names) > limit {
		names = names[:limit]
		next = names[limit-1]
	}
	for _, name := range names {
		root, err := parseName(name)
		if err != nil {
			return nil, "", fmt.Errorf("%w: a root %q: %w", agents.ErrUnfit, name, err)
		}
		roots = append(roots, root)
	}
	return roots, next, nil
}
