package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trunkline/agents/redisstore/redistest"
	"trunkline/e2e/harness"
)

// kills is how often a proxy dies in one crowd.
const kills = 20

// crowds is how many crowds suffer one after another on each store: one for every change,
// more for the full sizes.
func crowds() int {
	if os.Getenv("TRUNKLINE_FULL") != "" {
		return 6
	}
	return 1
}

// killSeed repeats one failed crowd when set; what a kill hits also depends on the machine.
const killSeed = 0

func everyCrowd(t *testing.T, suffer func(t *testing.T, c *crowd)) {
	first, n := rand.Uint64(), crowds()
	if s := uint64(killSeed); s != 0 {
		first, n = s, 1
	}
	for i := range n {
		seed := first + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { suffer(t, newCrowd(t, seed)) })
	}
}

// TestKillsOnOneFile kills the only proxy, again and again, wherever it is, and starts it
// again on its file.
func TestKillsOnOneFile(t *testing.T) {
	everyCrowd(t, func(t *testing.T, c *crowd) {
		setup := harness.Serve{Upstream: c.url, Store: "file:" + filepath.Join(t.TempDir(), "agents.db")}
		p := proxy.Serve(t, setup)
		c.offer(c.door(p.URL))
		c.start()
		for range kills {
			c.moment()
			c.offer()
			p.Kill()
			p = proxy.Serve(t, setup)
			c.offer(c.door(p.URL))
		}
		c.settle()
	})
}

// TestKillsAmongTwo kills one of two proxies that share a Redis. Clients go on with the
// other one, and any client goes to any of them.
func TestKillsAmongTwo(t *testing.T) {
	everyCrowd(t, func(t *testing.T, c *crowd) { c.killAmongTwo(t, harness.StartRedis(t).URL(), kills) })
}

// TestKillsAmongTwoOnACluster is the same with the agents spread over three nodes.
func TestKillsAmongTwoOnACluster(t *testing.T) {
	everyCrowd(t, func(t *testing.T, c *crowd) { c.killAmongTwo(t, redistest.StartCluster(t, 3).URL(), kills/2) })
}

func (c *crowd) killAmongTwo(t *testing.T, store string, kills int) {
	setup := harness.Serve{Upstream: c.url, Store: store, Args: []string{"--lease=500ms"}}
	pair := [2]*harness.Proxy{proxy.Serve(t, setup), proxy.Serve(t, setup)}
	c.offer(c.door(pair[0].URL), c.door(pair[1].URL))
	c.start()
	for range kills {
		c.moment()
		i := c.rng.IntN(2)
		c.offer(c.door(pair[1-i].URL))
		pair[i].Kill()
		pair[i] = proxy.Serve(t, setup)
		c.offer(c.door(pair[0].URL), c.door(pair[1].URL))
	}
	c.settle()
}

// moment waits for a random moment of the crowd's life: some requests on, and somewhere
// behind the last of them.
func (c *crowd) moment() {
	bound := time.NewTimer(patience)
	defer bound.Stop()
	for range c.rng.IntN(12) {
		select {
		case <-c.asked:
		case <-c.ctx.Done():
		case <-bound.C:
			c.errorf("nobody asks the provider anything for %s", patience)
		}
	}
	c.pause(time.Duration(c.rng.IntN(20_000)) * time.Microsecond)
}
