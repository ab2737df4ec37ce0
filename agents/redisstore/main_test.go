package redisstore_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"trunkline/agents/redisstore"
)

// TestMain also finds a Watch or a client that outlives its test.
func TestMain(m *testing.M) {
	redisstore.LogTo(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}
