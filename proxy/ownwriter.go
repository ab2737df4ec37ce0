package proxy

import "net/http"

// ownWriter is a reply to a call of the proxy's own, for whoever answers it.
type ownWriter struct{ out *reply }

func (w ownWriter) Header() http.Header { return w.out.w.Header() }

func (w ownWriter) WriteHeader(status int) {
	w.out.started, w.out.stream = true, isStream(w.Header())
	w.out.w.WriteHeader(status)
}

func (w ownWriter) Write(b []byte) (int, error) {
	w.out.started = true
	if err := w.out.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// FlushError is what [http.ResponseController] calls.
func (w ownWriter) FlushError() error { return w.out.flush() }
