package sim

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// errLeft says that the client went away before the end of its answer.
var errLeft = errors.New("sim: the client left")

// stream is an answer as server-sent events.
type stream struct {
	frames []string
	finish int // index of the first frame that tells that the answer is complete
}

func (s *stream) add(event string, data []byte) {
	frame := "data: " + string(data) + "\n\n"
	if event != "" {
		frame = "event: " + event + "\n" + frame
	}
	s.frames = append(s.frames, frame)
}

// sendStream writes st as a says; complete is called before the finish shows.
func sendStream(ctx context.Context, w http.ResponseWriter, a Answer, st stream, complete func()) error {
	if a.Break != nil && a.Break.After < 0 {
		return breakBefore(ctx, w, a.Break)
	}
	if err := pass(ctx, a.Gates[0]); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	if err := send(w, ""); err != nil {
		return err
	}
	for i, frame := range st.frames {
		if a.Break != nil && i == a.Break.After {
			return breakOff(ctx, w, a.Break, frame)
		}
		if i > 0 {
			if err := pause(ctx, a.Delay); err != nil {
				return err
			}
			if err := pass(ctx, a.Gates[i]); err != nil {
				return err
			}
		}
		if i == st.finish {
			complete()
		}
		if err := send(w, frame); err != nil {
			return err
		}
	}
	return nil
}

// breakBefore ends an answer before its headers, where only two ends exist.
func breakBefore(ctx context.Context, w http.ResponseWriter, b *Break) error {
	if b.How == Silence {
		<-ctx.Done()
		return errLeft
	}
	return reset(w)
}

// breakOff ends a stream as b says, in place of the event next.
func breakOff(ctx context.Context, w http.ResponseWriter, b *Break, next string) error {
	switch b.How {
	case HalfEvent:
		return send(w, next[:len(next)/2])
	case ErrorEvent:
		return send(w, "data: "+b.data()+"\n\n")
	case Reset:
		return reset(w)
	case Silence:
		<-ctx.Done()
		return errLeft
	}
	return nil
}

// reset closes the connection with a TCP RST.
func reset(w http.ResponseWriter) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) // a failure shows as an ordinary close
	}
	return conn.Close()
}

// send writes and flushes; "" flushes the headers alone.
func send(w http.ResponseWriter, s string) error {
	if _, err := w.Write([]byte(s)); err != nil {
		return errLeft
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return errLeft
	}
	return nil
}

// pass waits for a gate; a nil gate is open.
func pass(ctx context.Context, gate <-chan struct{}) error {
	if ctx.Err() != nil {
		return errLeft
	}
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return errLeft
	}
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return pass(ctx, nil)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errLeft
	}
}
