package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// schema is the version of the layout of keys that this package reads and writes.
const schema = 1

// prepare checks the servers and marks an empty keyspace as ours.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.eachPrimary(ctx, s.checkServer); err != nil {
		return refused(ctx, err)
	}
	if err := s.client.SetArgs(ctx, schemaKey, schema, redis.SetArgs{Mode: "NX"}).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return refused(ctx, err)
	}
	found, err := s.client.Get(ctx, schemaKey).Result()
	if err != nil {
		return refused(ctx, err)
	}
	if found != strconv.Itoa(schema) {
		return fmt.Errorf("%w: redis holds schema %q, this program knows %d", agents.ErrUnfit, found, schema)
	}
	if s.replicas > 0 {
		return s.Check(ctx)
	}
	return nil
}

// checkServer checks one primary by what it says of itself. INFO is asked, not CONFIG,
// which hosted servers forbid.
func (s *Store) checkServer(ctx context.Context, server *redis.Client) error {
	text, err := server.Info(ctx).Result()
	if redis.IsPermissionError(err) {
		s.log.Warn("redis forbids INFO: its version and maxmemory-policy were not checked", "error", err)
		return server.Ping(ctx).Err()
	}
	if err != nil {
		return err
	}
	where := server.Options().Addr
	info := parseInfo(text)
	switch version := info["redis_version"]; {
	case version == "":
		s.log.Warn("redis does not tell its version", "server", where)
	case !atLeast(version, 6, 2):
		return fmt.Errorf("%w: redis at %s is version %s, at least 6.2 is needed", agents.ErrUnfit, where, version)
	}
	switch policy := info["maxmemory_policy"]; policy {
	case "noeviction":
	case "":
		s.log.Warn("redis does not tell its maxmemory-policy, which must be noeviction", "server", where)
	default:
		return fmt.Errorf("%w: redis at %s has maxmemory-policy %s, which may drop agents: set it to noeviction", agents.ErrUnfit, where, policy)
	}
	if info["role"] == "slave" {
		return fmt.Errorf("%w: redis at %s is a replica: name its primary", agents.ErrUnfit, where)
	}
	if _, ok := s.client.(*redis.ClusterClient); !ok && info["cluster_enabled"] == "1" {
		return fmt.Errorf("%w: redis at %s is part of a cluster: use redis+cluster://", agents.ErrUnfit, where)
	}
	if info["aof_enabled"] == "0" {
		s.log.Warn("redis keeps no append-only file: what it acknowledged is lost when it ends", "server", where)
	}
	return nil
}

// refused is unavailable, except that a server which answers and says no for good (a
// wrong password, cluster support off) is unfit.
func refused(ctx context.Context, err error) error {
	var reply redis.Error
	switch {
	case errors.Is(err, agents.ErrUnfit):
		return err
	case redis.IsLoadingError(err), redis.IsClusterDownError(err), redis.IsMasterDownError(err),
		redis.IsTryAgainError(err), redis.IsMaxClientsError(err), redis.IsReadOnlyError(err),
		redis.HasErrorPrefix(err, "NOREPLICAS"):
		return unavailable(ctx, err)
	case errors.As(err, &reply):
		return fmt.Errorf("%w: redis refuses: %w", agents.ErrUnfit, err)
	default:
		return unavailable(ctx, err)
	}
}

// parseInfo returns the fields of an INFO answer.
func parseInfo(text string) map[string]string {
	info := map[string]string{} // field → value
	for line := range strings.Lines(text) {
		if field, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[field] = value
		}
	}
	return info
}

// atLeast compares the first two numbers of a version; what is no number counts as 0.
func atLeast(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	gotMajor, _ := strconv.Atoi(first)
	gotMinor, _ := strconv.Atoi(second)
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}
