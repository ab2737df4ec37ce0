package sim

import (
	"context"
	"net/http"
	"strconv"
)

// sendWhole writes body as a says; complete is called before any of it shows.
func sendWhole(ctx context.Context, w http.ResponseWriter, a Answer, body []byte, complete func()) error {
	b := a.Break
	if b != nil && b.After < 0 {
		return breakBefore(ctx, w, b)
	}
	if err := pass(ctx, a.Gates[0]); err != nil {
		return err
	}
	if b == nil {
		complete()
		writeJSON(w, body)
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	if b.How == ErrorEvent {
		w.Write([]byte(b.data()))
		return nil
	}
	// Short of its length, net/http closes the connection after the handler.
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if err := send(w, string(body[:len(body)/2])); err != nil {
		return err
	}
	return breakOff(ctx, w, b, "")
}
