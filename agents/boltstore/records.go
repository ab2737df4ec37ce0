package boltstore

import (
	"bytes"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

// Load returns the record of key.
func (s *Store) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	var stored agents.Stored
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		stored, err = record(tx, key)
		return err
	})
	return stored, err
}

// Commit writes the change if the record still has its version.
func (s *Store) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	if err := fit(key, change); err != nil {
		return 0, err
	}
	var next uint64
	err := s.write(ctx, key, func(tx *bbolt.Tx) (bool, error) {
		if version, err := versionOf(tx, key); err != nil {
			return false, err
		} else if version != change.Version {
			return false, agents.ErrConflict
		}
		var err error
		next, err = commit(tx, key, change)
		return true, err
	})
	if err != nil {
		return 0, err
	}
	return next, nil
}

func commit(tx *bbolt.Tx, key agents.Key, change agents.Change) (version uint64, err error) {
	records, blobs := tx.Bucket(recordsBucket), tx.Bucket(blobsBucket)
	version = max(records.Sequence()+1, uint64(time.Now().UnixMicro()))
	if err := records.SetSequence(version); err != nil {
		return 0, err
	}
	record := encodeRecord(agents.Stored{Version: version, Data: change.Data})
	if err := records.Put([]byte(key.Name()), record); err != nil {
		return 0, err
	}
	// Drop comes first, so that a blob that a change both drops and puts is there after.
	for _, id := range change.Drop {
		if err := blobs.Delete(part(key, id)); err != nil {
			return 0, err
		}
	}
	for _, blob := range change.Put {
		k := part(key, blob.ID)
		if blobs.Get(k) != nil {
			continue
		}
		// Never nil, which Get could not tell from missing in this transaction.
		if err := blobs.Put(k, append([]byte{}, blob.Data...)); err != nil {
			return 0, err
		}
	}
	return version, nil
}

// Blobs reads all blobs from one state of the file.
func (s *Store) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	blobs := make([][]byte, len(refs))
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(blobsBucket)
		for i, ref := range refs {
			if value := bucket.Get(part(ref.Owner, ref.ID)); value != nil {
				blobs[i] = append([]byte{}, value...)
			}
		}
		return nil
	})
	return blobs, err
}

// Owned walks the blobs of key, which lie together.
func (s *Store) Owned(ctx context.Context, key agents.Key, prefix string) (ids []string, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		own, from := part(key, ""), part(key, prefix)
		cursor := tx.Bucket(blobsBucket).Cursor()
		for k, _ := cursor.Seek(from); bytes.HasPrefix(k, from); k, _ = cursor.Next() {
			ids = append(ids, string(k[len(own):]))
		}
		return nil
	})
	return ids, err
}

// Delete removes the record and the blobs of key.
func (s *Store) Delete(ctx context.Context, key agents.Key, version uint64) error {
	return s.write(ctx, key, func(tx *bbolt.Tx) (bool, error) {
		switch found, err := versionOf(tx, key); {
		case err != nil:
			return false, err
		case found == 0:
			return false, nil
		case found != version:
			return false, agents.ErrConflict
		}
		if err := tx.Bucket(recordsBucket).Delete([]byte(key.Name())); err != nil {
			return false, err
		}
		return true, deleteBelow(tx.Bucket(blobsBucket), part(key, ""))
	})
}

// record returns the record as the transaction sees it.
func record(tx *bbolt.Tx, key agents.Key) (agents.Stored, error) {
	return decodeRecord(tx.Bucket(recordsBucket).Get([]byte(key.Name())))
}
