package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// Watch gives hints from a connection of its own until ctx ends, and returns ctx.Err().
// It subscribes again whenever the connection is lost; each time that it is subscribed
// the zero Key tells that hints may have been missed.
func (s *Store) Watch(ctx context.Context, hint func(agents.Key)) error {
	subscription := s.client.Subscribe(ctx, changes)
	events := subscription.ChannelWithSubscriptions()
	defer func() {
		_ = subscription.Close() // the connection may be lost already
		for range events {
			// The channel is closed by the goroutine that fills it, at its end.
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event := <-events:
			switch event := event.(type) {
			case *redis.Subscription:
				hint(agents.Key{})
			case *redis.Message:
				if key, err := agents.ParseName(event.Payload); err == nil {
					hint(key)
				}
			}
		}
	}
}
