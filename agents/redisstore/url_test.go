package redisstore

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestURLOfOneServer(t *testing.T) {
	o := client[*redis.Client](t, "rediss://agent:p%40ss@redis.example:7000/3?read_timeout=250ms&skip_verify=true").Options()
	if o.Addr != "redis.example:7000" || o.DB != 3 || o.Username != "agent" || o.Password != "p@ss" {
		t.Errorf("the server is %s/%d as %s:%s", o.Addr, o.DB, o.Username, o.Password)
	}
	if o.TLSConfig == nil || o.TLSConfig.ServerName != "redis.example" || !o.TLSConfig.InsecureSkipVerify {
		t.Errorf("TLS is %v", o.TLSConfig)
	}
	if o.ReadTimeout != 250*time.Millisecond || o.WriteTimeout != 2*time.Second || o.DialTimeout != 2*time.Second || o.PoolTimeout != 2*time.Second {
		t.Errorf("the timeouts are read %v, write %v, dial %v, pool %v", o.ReadTimeout, o.WriteTimeout, o.DialTimeout, o.PoolTimeout)
	}
	if o.MaxRetries != 0 || !o.ContextTimeoutEnabled { // go-redis turns -1 into 0
		t.Errorf("%d retries, contexts heeded: %t", o.MaxRetries, o.ContextTimeoutEnabled)
	}
}

func TestURLOfSentinels(t *testing.T) {
	o := client[*redis.Client](t, "redis+sentinel://agent:pass@a,b:7000,[::1]/main/4?sentinel_password=other").Options()
	if o.DB != 4 || o.Username != "agent" || o.Password != "pass" {
		t.Errorf("the primary is database %d as %s:%s", o.DB, o.Username, o.Password)
	}
	if o.TLSConfig != nil || o.MaxRetries != 0 || o.ReadTimeout != 2*time.Second || !o.ContextTimeoutEnabled {
		t.Errorf("TLS %v, %d retries, read timeout %v", o.TLSConfig, o.MaxRetries, o.ReadTimeout)
	}
}

func TestURLOfCluster(t *testing.T) {
	o := client[*redis.ClusterClient](t, "rediss+cluster://:pass@a,b:7000,[::1]").Options()
	if got, want := o.Addrs, []string{"a:6379", "b:7000", "[::1]:6379"}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("the nodes are %q, want %q", got, want)
	}
	if o.Password != "pass" || o.TLSConfig == nil || o.ReadTimeout != 2*time.Second || !o.ContextTimeoutEnabled || !o.DisableRoutingPolicies {
		t.Errorf("the options are %+v", o)
	}
}

func client[T redis.UniversalClient](t *testing.T, url string) T {
	t.Helper()
	c, _, err := newClient(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(T)
}

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"6.2.0": true, "6.10.1": true, "7.0.15": true, "10.0.0": true, "6.2": true,
		"6.0.16": false, "5.9.9": false, "6": false, "unknown": false, "": false,
	} {
		if atLeast(version, 6, 2) != want {
			t.Errorf("atLeast(%q, 6, 2) = %t", version, !want)
		}
	}
}
