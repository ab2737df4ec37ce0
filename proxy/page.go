package proxy

import (
	_ "embed"
	"net/http"
)

//go:embed page.html
var page []byte

// front is GET /: one page for people, without anything from elsewhere. It is the same
// for everybody; what it shows it asks of /status, under the rules of that.
func (s *Server) front(w http.ResponseWriter, r *http.Request) {
	if refused := s.guard(r); refused != nil {
		refused.write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.Write(page)
}
