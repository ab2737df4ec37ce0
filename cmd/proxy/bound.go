package main

import (
	"fmt"
	"time"
)

// A bound is the least that a flag takes.
type bound struct {
	flag         string
	value, least time.Duration
}

func (b bound) check() error {
	if b.value < b.least {
		return fmt.Errorf("--%s=%s: want at least %s", b.flag, b.value, b.least)
	}
	return nil
}
