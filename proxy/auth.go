package proxy

import (
	"context"
	"net/http"
	"strings"

	"trunkline/proxy/keys"
)

// credentials are the headers in which clients present a key, in the order in which they
// are looked at: the first that is there decides.
var credentials = [...]string{"Authorization", "Api-Key", "X-Api-Key"}

// credential returns the first of a request's credentials and the header that it is in.
func credential(h http.Header) (header, value string) {
	for _, header := range credentials {
		if value := h.Get(header); value != "" {
			return header, value
		}
	}
	return "", ""
}

// admission is what a key has opened to a request; in its context, under admissionKey.
type admission struct {
	tenant string
	still  func() error // nil while the key would open it again
}

type admissionKey struct{}

// stillAdmitted returns why a request that waits would not be admitted any more: keys are
// taken out while it does.
func stillAdmitted(ctx context.Context) error {
	if a, ok := ctx.Value(admissionKey{}).(admission); ok {
		return a.still()
	}
	return nil
}

// admit returns the request as it is served: under the tenant of its key, and with the
// upstream key in the place of the client's, which goes no further. pattern is the route
// of the proxy's own that it takes, "" when it goes to the provider. Without Keys
// everybody is admitted as they come.
func (s *Server) admit(r *http.Request, pattern string) (*http.Request, error) {
	need := scope(pattern)
	if s.Keys == nil || need == "" {
		return r, nil
	}
	header, presented := credential(r.Header)
	if header == "" {
		return r, &Error{Status: 401, Code: "missing_api_key", Param: "Authorization",
			Message: "no API key was given; send one as Authorization: Bearer KEY"}
	}
	if header == "Authorization" {
		scheme, rest, _ := strings.Cut(presented, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			rest = ""
		}
		presented = strings.TrimSpace(rest)
	}
	invalid := &Error{Status: 401, Code: "invalid_api_key", Param: header, Message: header + ": the API key is not valid"}
	permitted := func() (keys.Key, error) {
		key, ok := s.Keys.Lookup(presented)
		switch {
		case !ok:
			return key, invalid
		case !key.May(need):
			return key, &Error{Status: 403, Code: "missing_scope", Param: header,
				Message: header + ": the API key lacks the scope " + string(need)}
		}
		return key, nil
	}
	key, err := permitted()
	if err != nil {
		return r, err
	}
	r = r.WithContext(context.WithValue(r.Context(), admissionKey{}, admission{key.Tenant, func() error {
		now, err := permitted()
		if err == nil && now.Tenant != key.Tenant {
			err = invalid
		}
		return err
	}}))
	r.Header = r.Header.Clone()
	for _, name := range credentials {
		r.Header.Del(name)
	}
	upstream := key.UpstreamKey
	if upstream == "" {
		upstream = s.UpstreamKey
	}
	switch {
	case upstream == "":
	case header == "Authorization":
		r.Header.Set(header, "Bearer "+upstream)
	default:
		r.Header.Set(header, upstream)
	}
	return r, nil
}

// scope is what a key must allow for a route; "" when no key is needed.
func scope(pattern string) keys.Scope {
	path := pattern[strings.Index(pattern, " ")+1:] // a pattern may begin with a method
	switch {
	case pattern == "":
		return keys.Model
	case path == "/metrics", path == "/healthz", path == "/readyz", path == "/{$}":
		return ""
	case path == "/agents", strings.HasPrefix(path, "/agents/"):
		return keys.Agents
	}
	return keys.Admin
}
