package boltstore

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// Options adjust a store; the zero value is right for a server.
type Options struct {
	// LockWait is how long Open waits for another process to release the file.
	// 0 means 2 s.
	LockWait time.Duration
	// Unsynced is for a file that nobody needs when the machine has crashed: no write waits
	// for the disk.
	Unsynced bool
}

// Store is an agents.Store in one file.
type Store struct {
	db      *bbolt.DB
	path    string
	writes  chan *write
	stopped chan struct{} // closed when the writer has ended
	watchers
}

var _ agents.Store = (*Store)(nil)

// Open opens the file at path, creating it and its directory when missing.
func Open(path string, options Options) (*Store, error) {
	db, err := openFile(path, options)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, path: path, writes: make(chan *write, maxBatch), stopped: make(chan struct{})}
	go s.runWriter()
	return s, nil
}

// Exclusive is true: the file is locked.
func (s *Store) Exclusive() bool { return true }

// Check commits an empty transaction, so it notices a disk that is full or gone.
func (s *Store) Check(ctx context.Context) error {
	return s.write(ctx, agents.Key{}, func(*bbolt.Tx) (bool, error) { return true, nil })
}

// Close ends the writer and releases the file.
func (s *Store) Close() error {
	close(s.writes)
	<-s.stopped
	if err := s.db.Close(); err != nil {
		return s.unavailable("closing", err)
	}
	return nil
}

// Size is the space that a store takes, in bytes.
type Size struct {
	File int64 // length of the file, which grows in steps and never shrinks
	Used int64 // part of it that holds something
}

// Size returns the space taken now.
func (s *Store) Size() (size Size, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(s.path)
		if err != nil {
			return s.unavailable("measuring", err)
		}
		stats := s.db.Stats()
		free := int64(stats.FreePageN+stats.PendingPageN) * int64(s.db.Info().PageSize)
		size = Size{File: info.Size(), Used: tx.Size() - free}
		return nil
	})
	return size, err
}

// view runs a read in a transaction of its own, which sees every acknowledged write.
func (s *Store) view(ctx context.Context, read func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(read)
}

func (s *Store) unavailable(doing string, err error) error {
	return fmt.Errorf("%w: %s %s: %w", agents.ErrUnavailable, doing, s.path, err)
}
