package redisstore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo sends what the client library has to say (a dial that failed, a new primary)
// to log at level Debug, instead of to the standard error: the calls that it concerns
// return errors anyway. The library has one logger for the whole process, so a program
// calls this once, before the first Open.
func LogTo(log *slog.Logger) { redis.SetLogger(clientLog{log}) }

type clientLog struct{ log *slog.Logger }

func (c clientLog) Printf(ctx context.Context, format string, args ...any) {
	if c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.DebugContext(ctx, fmt.Sprintf(format, args...))
	}
}
