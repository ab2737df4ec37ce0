package redisstore

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

//go:embed commit.lua
var commitScript string

//go:embed delete.lua
var deleteScript string

//go:embed enroll.lua
var enrollScript string

//go:embed strike.lua
var strikeScript string

// once is a command that is not sent again when its answer was lost: the first sending
// may have run, and a second would find its own effect and call it a conflict.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }

// run runs a script by its digest, or by its source when the server does not know it.
// A script that returns nothing found another version: agents.ErrConflict.
func (s *Store) run(ctx context.Context, script string, keys []string, args ...any) (*redis.Cmd, error) {
	cmd, err := s.eval(ctx, "evalsha", redis.NewScript(script).Hash(), keys, args)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		cmd, err = s.eval(ctx, "eval", script, keys, args)
	}
	if errors.Is(err, redis.Nil) {
		return nil, agents.ErrConflict
	}
	return cmd, unavailable(ctx, err)
}

// runAgain runs a script that may run twice: like any command, it is sent again when its
// answer was lost.
func (s *Store) runAgain(ctx context.Context, script string, keys []string, args ...any) (any, error) {
	return redis.NewScript(script).Run(ctx, s.client, keys, args...).Result()
}

func (s *Store) eval(ctx context.Context, command, script string, keys []string, args []any) (*redis.Cmd, error) {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, command, script, len(keys))
	for _, key := range keys {
		all = append(all, key)
	}
	cmd := redis.NewCmd(ctx, append(all, args...)...)
	return cmd, s.write(ctx, once{cmd})
}

// waitBound is how long a write waits for the replicas.
const waitBound = time.Second

// write runs a command, and returns when as many replicas as are wanted have what it wrote.
// If they have not in time the write stands all the same, on the primary: it is one whose
// answer is lost.
func (s *Store) write(ctx context.Context, cmd redis.Cmder) error {
	if s.replicas == 0 {
		return s.client.Process(ctx, cmd)
	}
	kept := redis.NewIntCmd(ctx, "wait", s.replicas, waitBound.Milliseconds())
	pipe := s.client.Pipeline() // on one connection: WAIT is about what its own has written
	for _, c := range []redis.Cmder{cmd, kept} {
		if err := pipe.Process(ctx, c); err != nil {
			return err
		}
	}
	_, _ = pipe.Exec(ctx) // the first error of the two, which have their own
	switch {
	case cmd.Err() != nil:
		return cmd.Err()
	case kept.Err() != nil:
		return kept.Err()
	case kept.Val() < int64(s.replicas):
		return fmt.Errorf("%d replicas have the write, wait_replicas asks for %d", kept.Val(), s.replicas)
	}
	return nil
}
