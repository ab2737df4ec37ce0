package sim

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// encode is JSON without HTML escapes and without a newline. It is given only
// this package's own types, which always encode.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("sim: encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// errorBody is an error in the OpenAI shape.
func errorBody(message, kind, code string) string {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	return string(encode(struct {
		Error inner `json:"error"`
	}{inner{Message: message, Type: kind, Code: code}}))
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write([]byte(errorBody(message, "invalid_request_error", code)))
}

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}
