package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"trunkline/prefix"
)

// arguments reads the request's body, one JSON object, into fields by name. A member that
// is null is absent. Any other member is an error: what a call does not know it would not
// do.
func (s *Server) arguments(r *http.Request, fields map[string]any) error {
	raw, release, err := s.Body(r)
	if err != nil {
		return err
	}
	defer release()
	members, err := prefix.Members(raw)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, m := range members {
		field, known := fields[m.Name]
		switch {
		case !known:
			return invalid(m.Name, "is not an argument of this call")
		case seen[m.Name]:
			return &prefix.DuplicateKeyError{Key: m.Name, Offset: m.Key.Start}
		}
		seen[m.Name] = true
		if err := json.Unmarshal(m.Value.Of(raw), field); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return invalid(m.Name, fmt.Sprintf("want a %s, got a %s", wrong.Type, wrong.Value))
			}
			return invalid(m.Name, err.Error())
		}
	}
	return nil
}

// query reads the request's query into fields by name.
func query(r *http.Request, fields map[string]*string) error {
	values, err := parseQuery(r)
	if err != nil {
		return err
	}
	for name, v := range values {
		field, known := fields[name]
		switch {
		case !known:
			return invalid(name, "is not a parameter of this call")
		case len(v) > 1:
			return invalid(name, "given more than once")
		}
		*field = v[0]
	}
	return nil
}

// parseQuery is r.URL.Query, which leaves out what it cannot read.
func parseQuery(r *http.Request) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("", "the query cannot be read: "+err.Error())
	}
	return values, nil
}

// strict decodes into what it holds, and refuses members that this does not know.
type strict struct{ into any }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *strict) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(s.into)
}
