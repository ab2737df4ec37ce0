package proxy

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard refuses what a web page could make a browser send to a local proxy: a request
// with a foreign origin, or one that reached a loopback listener under another host's
// name (DNS rebinding).
func (s *Server) guard(r *http.Request) *Error {
	if !s.Local {
		return nil
	}
	if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(s.AllowOrigins, origin) {
		u, err := url.Parse(origin)
		if err != nil || !sameHost(u.Host, r.Host) {
			return &Error{Status: 403, Code: "foreign_origin", Param: "Origin",
				Message: "the origin " + origin + " is not allowed; --allow-origin names those that are"}
		}
	}
	if host := hostname(r.Host); !loopback(host) && !slices.Contains(s.AllowHosts, host) {
		return &Error{Status: 403, Code: "foreign_host", Param: "Host",
			Message: "the host " + host + " is not a loopback address; --allow-host names others that are allowed"}
	}
	return nil
}

func sameHost(a, b string) bool { return a != "" && strings.EqualFold(a, b) }

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
