package boltstore

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"trunkline/agents"
)

// schema is the version of the layout that this package reads and writes.
const schema = 1

// openFile returns a locked file of our schema.
func openFile(path string, options Options) (*bbolt.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", agents.ErrUnfit, err)
	}
	db, err := openBolt(path, options)
	if err != nil {
		return nil, err
	}
	if err := prepare(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// openBolt opens the file as a bbolt database. Its pages are mapped memory: reading one
// past the end of a truncated file is a fault, and bbolt panics on a page that makes no
// sense. Both are turned into errors here.
func openBolt(path string, options Options) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			db, err = nil, damaged(path, fault)
		}
	}()
	db, err = bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:      cmp.Or(options.LockWait, 2*time.Second),
		FreelistType: bbolt.FreelistMapType,
		NoSync:       options.Unsynced,
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s is open in another process, and a file serves one at a time", agents.ErrUnavailable, path)
	case errors.Is(err, bolterrors.ErrInvalid):
		return nil, fmt.Errorf("%w: %s is not a bbolt database", agents.ErrUnfit, path)
	case errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return nil, damaged(path, err)
	case err != nil:
		return nil, fmt.Errorf("%w: opening %s: %w", agents.ErrUnfit, path, err)
	}
	if err := complete(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// complete checks that the file holds every page that its database uses.
func complete(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(db.Path())
		if err != nil {
			return fmt.Errorf("%w: %w", agents.ErrUnfit, err)
		}
		if info.Size() < tx.Size() {
			return damaged(db.Path(), fmt.Sprintf("it has %d of %d bytes", info.Size(), tx.Size()))
		}
		return nil
	})
}

func damaged(path string, why any) error {
	return fmt.Errorf("%w: %s is damaged: %v", agents.ErrUnfit, path, why)
}

// prepare creates the buckets of an empty database, and refuses one that another
// program or a newer schema wrote.
func prepare(db *bbolt.DB) error {
	return db.Update(func(tx *bbolt.Tx) error {
		first, _ := tx.Cursor().First()
		meta := tx.Bucket(metaBucket)
		switch {
		case first == nil:
			return create(tx)
		case meta == nil:
			return fmt.Errorf("%w: %s belongs to another program", agents.ErrUnfit, db.Path())
		}
		found, err := strconv.Atoi(string(meta.Get(schemaKey)))
		if err != nil {
			return damaged(db.Path(), "it has no schema version")
		}
		if found != schema {
			return fmt.Errorf("%w: %s has schema %d, this program knows %d", agents.ErrUnfit, db.Path(), found, schema)
		}
		return nil
	})
}

func create(tx *bbolt.Tx) error {
	for _, name := range [][]byte{metaBucket, recordsBucket, blobsBucket, treesBucket, rootsBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(metaBucket).Put(schemaKey, strconv.AppendInt(nil, schema, 10))
}
