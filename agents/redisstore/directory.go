package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// A root stands in two keys that may live on two servers: its own tree, and the list of
// roots. The list must hold every root whose tree holds the root, also when one process
// strikes a root that another enrolls: Enroll writes the tree first and the list second;
// Strike goes the same way, then looks at the tree again and repairs the list.

// Enroll adds id to the tree of root.
func (s *Store) Enroll(ctx context.Context, root agents.Key, id string) error {
	_, err := s.runAgain(ctx, enrollScript, []string{treeKey(root), marksKey(root)}, id)
	if err == nil && id == root.ID {
		err = s.list(ctx, root)
	}
	return unavailable(ctx, err)
}

// Strike removes a member from the tree of root, if it still has its mark.
func (s *Store) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	gone, err := s.runAgain(ctx, strikeScript, []string{treeKey(root), marksKey(root)}, member.ID, member.Mark)
	if err == nil && gone == int64(1) && member.ID == root.ID {
		err = s.unlist(ctx, root)
	}
	return unavailable(ctx, err)
}

func (s *Store) list(ctx context.Context, root agents.Key) error {
	return s.client.ZAdd(ctx, rootsKey, redis.Z{Member: root.Name()}).Err()
}

func (s *Store) unlist(ctx context.Context, root agents.Key) error {
	if err := s.client.ZRem(ctx, rootsKey, root.Name()).Err(); err != nil {
		return err
	}
	back, err := s.client.SIsMember(ctx, treeKey(root), root.ID).Result()
	if err != nil || !back {
		return err
	}
	return s.list(ctx, root)
}

// Members returns the members of the tree of root, sorted by id. A mark that is newer than
// the listing is as good: the member was enrolled with it before the answer came.
func (s *Store) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	var ids *redis.StringSliceCmd
	var marks *redis.MapStringStringCmd
	_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		ids, marks = pipe.SMembers(ctx, treeKey(root)), pipe.HGetAll(ctx, marksKey(root))
		return nil
	})
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	var members []agents.Member
	for _, id := range slices.Sorted(slices.Values(ids.Val())) {
		member := agents.Member{ID: id}
		if mark, ok := marks.Val()[id]; ok {
			if member.Mark, err = strconv.ParseUint(mark, 10, 64); err != nil {
				return nil, fmt.Errorf("%w: the mark of %q in %s: %w", agents.ErrUnfit, id, marksKey(root), err)
			}
		}
		members = append(members, member)
	}
	return members, nil
}

// Roots returns the roots after cursor in the order of their names; a cursor is the name
// of the last root returned.
func (s *Store) Roots(ctx context.Context, cursor string, limit int) ([]agents.Key, string, error) {
	return s.roots(ctx, "-", "+", cursor, limit)
}

// RootsOf reads the tenant's stretch of the roots.
func (s *Store) RootsOf(ctx context.Context, tenant, cursor string, limit int) ([]agents.Key, string, error) {
	first := agents.Key{Tenant: tenant}.Name() // ends in "/", which "0" follows
	return s.roots(ctx, "["+first, "("+strings.TrimSuffix(first, "/")+"0", cursor, limit)
}

// roots returns the roots between two bounds, as Redis takes them, that are after cursor.
func (s *Store) roots(ctx context.Context, start, stop, cursor string, limit int) (roots []agents.Key, next string, err error) {
	limit = max(limit, 1)
	if cursor != "" {
		start = "(" + cursor
	}
	// One more than asked tells whether this page is the last.
	names, err := s.client.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: rootsKey, ByLex: true, Start: start, Stop: stop, Count: int64(limit) + 1,
	}).Result()
	if err != nil {
		return nil, "", unavailable(ctx, err)
	}
	if len(names) > limit {
		names = names[:limit]
		next = names[limit-1]
	}
	for _, name := range names {
		root, err := agents.ParseName(name)
		if err != nil {
			return nil, "", fmt.Errorf("%w: a root %q: %w", agents.ErrUnfit, name, err)
		}
		roots = append(roots, root)
	}
	return roots, next, nil
}
