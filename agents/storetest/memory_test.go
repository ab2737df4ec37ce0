package storetest_test

import (
	"testing"

	"trunkline/agents"
	"trunkline/agents/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) agents.Store { return storetest.Memory() })
}
