package redistest

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Cluster is a set of primaries that share the slots; there are no replicas.
type Cluster struct {
	Nodes []*Server
}

// StartCluster starts n nodes and waits until all of them serve. args are more options
// of each.
func StartCluster(t testing.TB, n int, args ...string) *Cluster {
	t.Helper()
	const slots = 16384
	c := &Cluster{}
	for i := range n {
		node := Start(t, append([]string{"--cluster-enabled", "yes"}, args...)...)
		node.Do("CLUSTER", "ADDSLOTSRANGE", slots*i/n, slots*(i+1)/n-1)
		node.Do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		c.Nodes = append(c.Nodes, node)
	}
	host, port, _ := net.SplitHostPort(c.Nodes[0].Addr)
	for _, node := range c.Nodes[1:] {
		node.Do("CLUSTER", "MEET", host, port)
	}
	for _, node := range c.Nodes {
		node.awaitCluster()
	}
	return c
}

// URL returns the addresses of all nodes as a store's URL.
func (c *Cluster) URL() string {
	var addresses []string
	for _, node := range c.Nodes {
		addresses = append(addresses, node.Addr)
	}
	return "redis+cluster://" + strings.Join(addresses, ",")
}

// awaitCluster waits until the node finds every slot served.
func (s *Server) awaitCluster() {
	s.t.Helper()
	s.poll("the cluster did not form", func(ctx context.Context, client *redis.Client) error {
		info, err := client.ClusterInfo(ctx).Result()
		if err == nil && !strings.Contains(info, "cluster_state:ok") {
			err = errors.New(info)
		}
		return err
	})
}
