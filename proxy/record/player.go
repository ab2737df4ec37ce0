package record

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"trunkline/prefix"
	"trunkline/proxy"
)

// replayHeader names the exchange that a request belongs to, on its way through the proxy.
const replayHeader = "X-Replay-Exchange"

// player replays a session. One goroutine, in play, decides what happens next; the clients,
// the proxy and the provider's side each wait for it.
type player struct {
	Options
	session *Session
	url     string // of the proxy
	base    string // path of the provider's base URL
	client  *http.Transport

	events []event
	board
	played []*played // by the exchange's place in the session
}

// played is an exchange as it happens again. The player's board guards it.
type played struct {
	x        *Exchange
	cancel   context.CancelFunc // the client leaves
	got      int64              // bytes that the client has
	reading  bool               // the client is not done
	serving  bool               // nor is the proxy
	gone     <-chan struct{}    // closed when the proxy has seen the client leave, or has ended
	arrivals []*arrival
	steps    []Step
	outcome  string
	stalled  string // what did not happen in time
	turns
	arrived int   // arrivals that the player has waited for
	had     int64 // bytes that it has waited for
}

func (p *played) over() bool { return !p.reading && !p.serving }

// arrival is a request as it came to the provider again.
type arrival struct {
	request Request
	usage   *prefix.Usage // what the asked provider reported
	asked   error
	acts    chan event
	done    int           // acts taken
	closed  chan struct{} // the provider's side is through with it
}

func newPlayer(s *Session, o Options) *player {
	p := &player{Options: o, session: s, client: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	for _, x := range s.Exchanges {
		p.played = append(p.played, &played{x: x, turns: turns{loose: !s.ordered()}})
	}
	p.events = s.schedule()
	for i := range p.events {
		if e := &p.events[i]; e.kind == touch {
			x := p.played[e.x]
			e.n = int64(len(x.touches))
			x.touches = append(x.touches, *e.touch)
		}
	}
	return p
}

// errStall is the cause of a wait for something that did not happen.
var errStall = errors.New("it did not happen in time")

// play makes the session's events happen, one after another.
func (p *player) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	for _, e := range p.events {
		x := p.played[e.x]
		if e.kind == start {
			own, leave := context.WithCancel(ctx)
			p.update(func() { x.cancel, x.reading, x.serving = leave, true, true })
			clients.Go(func() {
				defer leave()
				p.request(own, e.x)
			})
			if err := p.wait(ctx, func() bool { return x.gone != nil || x.over() }); err != nil {
				return err
			}
			continue
		}
		bound, stop := context.WithTimeoutCause(ctx, p.Stall, errStall)
		err := p.happen(bound, x, e)
		stop()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errStall):
			p.update(func() {
				if x.stalled == "" {
					x.stalled = e.String()
				}
				x.granted, x.loose = len(x.touches), true
			})
		case err != nil:
			return err
		}
	}
	return nil
}

func (e event) String() string {
	switch e.kind {
	case arrive:
		return fmt.Sprintf("request %d to the provider", e.hop+1)
	case gotBytes:
		return fmt.Sprintf("byte %d of the client's answer", e.n)
	case over:
		return "the end of the request"
	case touch:
		if e.touch.Write {
			return "a write to agent " + e.touch.Agent
		}
		return "a read of agent " + e.touch.Agent
	}
	return fmt.Sprintf("answer %d of the provider", e.hop+1)
}

// happen makes one event happen and waits until it has.
func (p *player) happen(ctx context.Context, x *played, e event) error {
	if x.stalled != "" && e.kind != over {
		return nil // the proxy took another way; what follows cannot be waited for
	}
	switch e.kind {
	case arrive:
		defer p.update(func() { x.arrived = e.hop + 1 })
		return p.reach(ctx, x, func() bool { return len(x.arrivals) > e.hop || x.over() })
	case head, chunk, finish:
		return p.act(ctx, x, e)
	case gotBytes:
		defer p.update(func() { x.had = e.n })
		// What is written is not always flushed before the exchange's next touch.
		return p.reach(ctx, x, func() bool { return x.got >= e.n || x.blocked() || x.over() })
	case touch:
		return p.grant(ctx, x, int(e.n))
	case leave:
		var gone <-chan struct{}
		p.update(func() { gone = x.gone })
		x.cancel()
		if gone == nil {
			return nil // it never reached the proxy
		}
		select {
		case <-gone:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case over:
		if x.stalled != "" {
			x.cancel()
		}
		err := p.reach(ctx, x, x.over)
		x.cancel()
		return err
	}
	return nil
}

// reach waits for what an exchange comes to by itself. What it does on the way that was not
// recorded, or not before, as another version of the proxy may, it does now.
func (p *player) reach(ctx context.Context, x *played, reached func() bool) error {
	loose := x.loose
	p.update(func() { x.loose = true })
	defer p.update(func() { x.loose = loose })
	for {
		there := false
		err := p.wait(ctx, func() bool { there = reached(); return there || x.blocked() })
		if there || err != nil {
			return err
		}
		p.update(func() { x.granted = x.want + 1 })
	}
}

// grant has an exchange do one of its touches. One that has gone past it has no more use for it.
func (p *player) grant(ctx context.Context, x *played, at int) error {
	p.update(func() { x.granted = max(x.granted, at+1) })
	err := p.wait(ctx, func() bool {
		return x.next > at || x.waits && x.want > at || len(x.arrivals) > x.arrived || x.got > x.had || x.over()
	})
	p.update(func() { x.next = max(x.next, at+1) })
	return err
}

// act has the provider's side do its part of an answer.
func (p *player) act(ctx context.Context, x *played, e event) error {
	var a *arrival
	p.update(func() {
		if e.hop < len(x.arrivals) {
			a = x.arrivals[e.hop]
		}
	})
	if a == nil {
		return nil // the difference is noted at the end
	}
	before := 0
	p.update(func() { before = a.done })
	select {
	case a.acts <- e:
	case <-a.closed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return p.wait(ctx, func() bool { return a.done > before })
}

// Begin implements [proxy.Recorder]: the accounts of a replay are collected with it.
func (p *player) Begin(r *http.Request, _ string) proxy.Recording {
	i, _ := strconv.Atoi(r.Header.Get(replayHeader)) // only this player's clients ask
	return &tally{player: p, played: p.played[i]}
}

// tally is the recording of a replay: its accounts alone.
type tally struct {
	*player
	*played
}

func (t *tally) Client() proxy.Hop                { return nowhere{} }
func (t *tally) Upstream(*http.Request) proxy.Hop { return nowhere{} }
func (t *tally) Step(info proxy.StepInfo) {
	t.update(func() { t.steps = append(t.steps, stepOf(info)) })
}
func (t *tally) End(info proxy.RequestInfo) {
	t.update(func() { t.outcome = string(info.Outcome) })
}

// nowhere is a hop of which nothing is kept.
type nowhere struct{}

func (nowhere) Sent(...[]byte)            {}
func (nowhere) Answered(int, http.Header) {}
func (nowhere) Received([]byte)           {}
func (nowhere) Ended(error)               {}
