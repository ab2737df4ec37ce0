package e2e

import (
	"os"
	"testing"

	"trunkline/e2e/harness"
)

// proxy is the program, built by TestMain.
var proxy harness.Binary

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &proxy)) }
