package redisstore

import (
	"context"
	_ "embed"
	"errors"

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
	return cmd, s.client.Process(ctx, once{cmd})
}
