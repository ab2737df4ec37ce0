package redisstore

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"trunkline/agents"
)

// newClient returns a client for the URL, and how many replicas must have a write before it
// counts; it does not connect yet. Its errors wrap agents.ErrUnfit and do not repeat the
// URL, which may hold a password.
func newClient(raw string) (client redis.UniversalClient, replicas int, err error) {
	client, replicas, err = parse(raw)
	if err != nil {
		var withURL *url.Error
		if errors.As(err, &withURL) {
			err = withURL.Err
		}
		return nil, 0, fmt.Errorf("%w: the store's URL: %w", agents.ErrUnfit, err)
	}
	return client, replicas, nil
}

func parse(raw string) (client redis.UniversalClient, replicas int, err error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, 0, errors.New("it has no scheme")
	}
	security, topology, _ := strings.Cut(scheme, "+")
	if security != "redis" && security != "rediss" {
		return nil, 0, fmt.Errorf("unknown scheme %q", scheme)
	}
	hosts, rest := cutHosts(rest)
	u, err := url.Parse(security + "://" + rest)
	if err != nil {
		return nil, 0, err
	}
	q := u.Query()
	if err := restrict(q); err != nil {
		return nil, 0, err
	}
	if replicas, err = replicasOf(q); err != nil {
		return nil, 0, err
	}
	switch topology {
	case "":
		client, err = single(u, q, hosts)
	case "sentinel":
		client, err = sentinel(u, q, hosts)
	case "cluster":
		if replicas > 0 {
			return nil, 0, errors.New("wait_replicas is not for clusters")
		}
		client, err = cluster(u, q, hosts)
	default:
		return nil, 0, fmt.Errorf("unknown scheme %q", scheme)
	}
	return client, replicas, err
}

// replicasOf takes the number out of the parameters.
func replicasOf(q url.Values) (int, error) {
	if !q.Has("wait_replicas") {
		return 0, nil
	}
	n, err := strconv.ParseUint(q.Get("wait_replicas"), 10, 8)
	if err != nil {
		return 0, errors.New("wait_replicas: want a number of replicas")
	}
	q.Del("wait_replicas")
	return int(n), nil
}

// cutHosts takes the list of hosts out of what follows a scheme, since the host of a
// url.URL is one.
func cutHosts(rest string) (hosts []string, without string) {
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	start := strings.LastIndex(rest[:end], "@") + 1
	return strings.Split(rest[start:end], ","), rest[:start] + rest[end:]
}

// restrict sets the bounds that the URL leaves open, and refuses what would break the
// package's invariants.
func restrict(q url.Values) error {
	for _, name := range []string{"dial_timeout", "read_timeout", "write_timeout", "pool_timeout"} {
		if !q.Has(name) {
			q.Set(name, "2s")
		}
	}
	for _, name := range []string{"read_only", "route_by_latency", "route_randomly", "replica_only", "use_disconnected_replicas"} {
		if q.Has(name) {
			return fmt.Errorf("%s would read from replicas, which lag behind", name)
		}
	}
	if q.Has("max_retries") {
		return errors.New("max_retries is not available: each call is tried once")
	}
	q.Set("max_retries", "-1")
	return nil
}

func single(u *url.URL, q url.Values, hosts []string) (redis.UniversalClient, error) {
	if len(hosts) != 1 {
		return nil, errors.New("several hosts need redis+sentinel:// or redis+cluster://")
	}
	address, err := addresses(hosts, "6379")
	if err != nil {
		return nil, err
	}
	u.Host, u.RawQuery = address[0], q.Encode()
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	o.DialerRetries = 1
	o.ContextTimeoutEnabled = true
	o.MaintNotificationsConfig = noNotifications()
	return redis.NewClient(o), nil
}

func sentinel(u *url.URL, q url.Values, hosts []string) (redis.UniversalClient, error) {
	master, db, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if master == "" {
		return nil, errors.New("redis+sentinel:// needs the name of the primary: redis+sentinel://host,host/name")
	}
	address, err := addresses(hosts, "26379")
	if err != nil {
		return nil, err
	}
	user, password := q.Get("sentinel_username"), q.Get("sentinel_password")
	q.Del("sentinel_username")
	q.Del("sentinel_password")
	q.Set("master_name", master)
	q.Set("dialer_retries", "1")
	if db != "" {
		q.Set("db", db)
	}
	u.Path, u.Host, u.RawQuery = "", address[0], q.Encode()
	o, err := redis.ParseFailoverURL(u.String())
	if err != nil {
		return nil, err
	}
	// go-redis gives the credentials of a URL to the sentinels.
	o.Username, o.Password = o.SentinelUsername, o.SentinelPassword
	o.SentinelUsername, o.SentinelPassword = user, password
	o.SentinelAddrs = address
	o.ContextTimeoutEnabled = true
	return redis.NewFailoverClient(o), nil
}

func cluster(u *url.URL, q url.Values, hosts []string) (redis.UniversalClient, error) {
	if strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("redis+cluster:// has no databases")
	}
	address, err := addresses(hosts, "6379")
	if err != nil {
		return nil, err
	}
	q.Set("dialer_retries", "1")
	u.Path, u.Host, u.RawQuery = "", address[0], q.Encode()
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return nil, err
	}
	o.Addrs = address
	o.ContextTimeoutEnabled = true
	o.MaintNotificationsConfig = noNotifications()
	o.DisableRoutingPolicies = true // they copy commands, and a copy may be sent twice
	return redis.NewClusterClient(o), nil
}

// addresses completes hosts with the port that is usual.
func addresses(hosts []string, port string) ([]string, error) {
	complete := make([]string, len(hosts))
	for i, host := range hosts {
		h, p, err := net.SplitHostPort(host)
		if err != nil {
			h, p, err = net.SplitHostPort(host + ":" + port)
		}
		if err == nil {
			_, err = strconv.ParseUint(p, 10, 16)
		}
		if err != nil || h == "" { // not told: an unescaped "/" puts part of a password here
			return nil, fmt.Errorf("host %d is not host:port", i+1)
		}
		complete[i] = net.JoinHostPort(h, p)
	}
	return complete, nil
}

// noNotifications keeps go-redis from asking each server for notices of its maintenance.
func noNotifications() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
