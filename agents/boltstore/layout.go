package boltstore

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"trunkline/agents"
)

var (
	metaBucket    = []byte("meta")
	recordsBucket = []byte("records")
	blobsBucket   = []byte("blobs")
	treesBucket   = []byte("trees")
	rootsBucket   = []byte("roots")

	schemaKey = []byte("schema")
)

// part names what belongs to key: a blob or a member.
func part(key agents.Key, id string) []byte { return []byte(key.Name() + "/" + id) }

// fit returns an error for a change that bbolt would refuse, since a refusal inside a
// shared transaction would fail its neighbours too.
func fit(key agents.Key, change agents.Change) error {
	if err := fitPart(key, ""); err != nil {
		return err
	}
	if len(change.Data) > bbolt.MaxValueSize-versionSize {
		return fmt.Errorf("a record of %d bytes is too large", len(change.Data))
	}
	for _, id := range change.Drop {
		if err := fitPart(key, id); err != nil {
			return err
		}
	}
	for _, blob := range change.Put {
		if err := fitPart(key, blob.ID); err != nil {
			return err
		}
		if len(blob.Data) > bbolt.MaxValueSize {
			return fmt.Errorf("a blob of %d bytes is too large", len(blob.Data))
		}
	}
	return nil
}

func fitPart(key agents.Key, id string) error {
	if n := len(part(key, id)); n > bbolt.MaxKeySize {
		return fmt.Errorf("a name of %d bytes is too long", n)
	}
	return nil
}

const versionSize = 8

func encodeRecord(stored agents.Stored) []byte {
	return append(binary.BigEndian.AppendUint64(nil, stored.Version), stored.Data...)
}

// decodeRecord copies, since value is memory of the transaction. No value is no record.
func decodeRecord(value []byte) (agents.Stored, error) {
	if value == nil {
		return agents.Stored{}, agents.ErrNotFound
	}
	if len(value) < versionSize {
		return agents.Stored{}, fmt.Errorf("%w: a record of %d bytes", agents.ErrUnfit, len(value))
	}
	return agents.Stored{
		Version: binary.BigEndian.Uint64(value),
		Data:    bytes.Clone(value[versionSize:]),
	}, nil
}

// versionOf returns the version that the transaction sees, 0 when there is no record.
func versionOf(tx *bbolt.Tx, key agents.Key) (uint64, error) {
	value := tx.Bucket(recordsBucket).Get([]byte(key.Name()))
	if value == nil {
		return 0, nil
	}
	if len(value) < versionSize {
		return 0, fmt.Errorf("%w: a record of %d bytes", agents.ErrUnfit, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}

// deleteBelow deletes the keys of bucket that start with prefix. It collects them first,
// since a cursor loses its place in a tree that changes.
func deleteBelow(bucket *bbolt.Bucket, prefix []byte) error {
	var keys [][]byte
	cursor := bucket.Cursor()
	for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
		keys = append(keys, k)
	}
	for _, k := range keys {
		if err := bucket.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
