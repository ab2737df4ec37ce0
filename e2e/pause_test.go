package e2e

import (
	"testing"
	"time"

	"trunkline/e2e/harness"
)

// TestPausesAmongTwo stops one of two proxies, and its clients go to the other one, which
// takes over when the leases lapse. What the first one still does when it goes on counts
// for nothing: it was overtaken in all that it was doing.
func TestPausesAmongTwo(t *testing.T) {
	everyCrowd(t, func(t *testing.T, c *crowd) {
		c.late = true
		setup := harness.Serve{Upstream: c.url, Store: harness.StartRedis(t).URL(), Args: []string{"--lease=500ms"}}
		pair := [2]*harness.Proxy{proxy.Serve(t, setup), proxy.Serve(t, setup)}
		doors := [2]*door{c.door(pair[0].URL), c.door(pair[1].URL)}
		c.offer(doors[:]...)
		c.start()
		for range kills / 3 {
			c.moment()
			i := c.rng.IntN(2)
			c.offer(doors[1-i])
			pair[i].Pause(t)
			// What stands in a connection counts as delivered. A client that left without
			// reading it would ask for another answer, and the messages of the first one
			// would be sent without its model's knowing.
			c.pause(100 * time.Millisecond)
			c.leave(doors[i])
			pair[i].Resume(t)
			doors[i] = c.door(pair[i].URL)
			c.offer(doors[:]...)
		}
		c.settle()
	})
}
