package main

import (
	"os"
	"testing"

	"trunkline/e2e/harness"
)

// program is the one that the command measures, built by TestMain.
var program harness.Binary

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &program)) }
