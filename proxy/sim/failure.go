package sim

import "net/http"

// Failure is an error response.
type Failure struct {
	Status int         // 0 is 500
	Header http.Header // Content-Type is application/json unless given
	Body   string      // "" is an error in the OpenAI shape
}

func fail(w http.ResponseWriter, f *Failure) {
	w.Header().Set("Content-Type", "application/json")
	for name, values := range f.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	status, body := f.Status, f.Body
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if body == "" {
		body = errorBody("scripted failure", "server_error", "scripted_failure")
	}
	w.WriteHeader(status)
	w.Write([]byte(body))
}
