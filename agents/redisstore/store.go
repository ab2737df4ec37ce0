package redisstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// Options adjust a store; the zero value is right for tests.
type Options struct {
	// Logger is told what Open could not check, or found doubtful. nil discards.
	Logger *slog.Logger
}

// Store is an agents.Store in Redis.
type Store struct {
	client   redis.UniversalClient
	replicas int // that must have a write before it counts
	log      *slog.Logger
}

var _ agents.Store = (*Store)(nil)

// startTimeout bounds Open, whatever the URL says.
const startTimeout = 3 * time.Second

// Open connects to the servers of a URL and checks that they can be used:
//
//	redis://host:port/db                    one server (rediss: with TLS)
//	redis+sentinel://a,b,c/master/db        the primary that the sentinels name
//	redis+cluster://a,b,c                   a cluster
//
// A user and password in the URL are those of the servers; the sentinels' own are the
// parameters sentinel_username and sentinel_password. With wait_replicas=N a write counts
// when N replicas have it, so that a failover to one of them keeps it; while they have not,
// the store is unavailable. Other parameters are go-redis's
// (read_timeout=500ms, pool_size=50, skip_verify=true).
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	client, replicas, err := newClient(url)
	if err != nil {
		return nil, err
	}
	s := &Store{client: client, replicas: replicas, log: options.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// Exclusive is false: other processes may use the same servers.
func (s *Store) Exclusive() bool { return false }

// Check asks every primary for a sign of life and writes a key, so it notices a server
// that is full, cannot persist, or became a replica.
func (s *Store) Check(ctx context.Context) error {
	err := s.eachPrimary(ctx, func(ctx context.Context, server *redis.Client) error {
		return server.Ping(ctx).Err()
	})
	if err == nil {
		err = s.write(ctx, redis.NewCmd(ctx, "set", checkedKey, ""))
	}
	return unavailable(ctx, err)
}

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// eachPrimary calls do for every server that takes writes; for several at once.
func (s *Store) eachPrimary(ctx context.Context, do func(context.Context, *redis.Client) error) error {
	switch client := s.client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, do)
	case *redis.Client:
		return do(ctx, client)
	default:
		return fmt.Errorf("unknown client %T", client)
	}
}

// unavailable wraps every failure except that the caller gave up.
func unavailable(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("redis: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: redis gives no answer: %w", agents.ErrUnavailable, err)
	default:
		return fmt.Errorf("%w: %w", agents.ErrUnavailable, err)
	}
}
