package main

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// checkOrigin refuses what no browser sends as an Origin: it would be an exception that
// never applies. "null" is what a page without one sends.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	if origin != "null" && (err != nil || u.Scheme+"://"+u.Host != origin || u.Host == "") {
		return fmt.Errorf("want an origin as browsers send it, such as https://app.example or http://localhost:3000, got %q", origin)
	}
	return nil
}

// checkHost refuses what is no name that a Host has once its port is cut off.
func checkHost(host string) error {
	if host == "" || (strings.ContainsAny(host, ":/[]@ ") && net.ParseIP(host) == nil) {
		return fmt.Errorf("want a host's name without scheme and port, such as proxy.example, got %q", host)
	}
	return nil
}
