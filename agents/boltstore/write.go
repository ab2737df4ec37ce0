package boltstore

import (
	"context"
	"errors"
	"runtime"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// maxBatch bounds the writes of one transaction, and those that wait in the queue.
const maxBatch = 256

// apply makes one write inside a transaction that others share. It says whether it
// changed anything; with agents.ErrConflict it has not. Any other error ends the whole
// transaction, so what can be wrong with the arguments is checked before.
type apply func(tx *bbolt.Tx) (changed bool, err error)

// write is one queued write.
type write struct {
	apply   apply
	hint    agents.Key // whom to hint at when it changed something; zero for nobody
	changed bool
	err     error
	done    chan struct{} // closed when changed and err are final
}

// write queues apply and waits until it is on disk or refused. Once it is queued, ctx
// no longer counts: the wait is one or two fsyncs, and the answer is certain.
func (s *Store) write(ctx context.Context, hint agents.Key, apply apply) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &write{apply: apply, hint: hint, done: make(chan struct{})}
	select {
	case s.writes <- w:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-w.done
	return w.err
}

// runWriter commits what gathered while it was busy with the batch before, until Close.
func (s *Store) runWriter() {
	defer close(s.stopped)
	var batch []*write
	for w := range s.writes {
		runtime.Gosched() // let those whom the last batch has just released queue theirs
		batch = append(batch[:0], w)
		for len(batch) < maxBatch && len(s.writes) > 0 {
			batch = append(batch, <-s.writes)
		}
		s.commit(batch)
	}
}

// errUnchanged rolls back a transaction in which nothing changed: it needs no fsync.
var errUnchanged = errors.New("nothing changed")

func (s *Store) commit(batch []*write) {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		changed := false
		for _, w := range batch {
			w.changed, w.err = w.apply(tx)
			if w.err != nil && !errors.Is(w.err, agents.ErrConflict) {
				return w.err
			}
			changed = changed || w.changed
		}
		if !changed {
			return errUnchanged
		}
		return nil
	})
	failed := err != nil && !errors.Is(err, errUnchanged)
	for _, w := range batch {
		if failed {
			w.err = s.unavailable("writing", err)
		}
		if w.err == nil && w.changed && w.hint != (agents.Key{}) {
			s.hint(w.hint)
		}
		close(w.done)
	}
}
