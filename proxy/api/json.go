package api

import (
	"bytes"
	"encoding/json"
	"time"
)

// encodeJSON encodes a value of the API's own, on one line, without escapes that only
// HTML needs.
func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// timestamp is Unix milliseconds as the API writes them: RFC 3339 in UTC.
func timestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// optional is a string that is null when it says nothing.
type optional string

// MarshalJSON implements [json.Marshaler].
func (o optional) MarshalJSON() ([]byte, error) {
	if o == "" {
		return []byte("null"), nil
	}
	return encodeJSON(string(o))
}
