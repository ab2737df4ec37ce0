package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"trunkline/agents"
)

// Load returns the record of key, as its primary has it.
func (s *Store) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	fields, err := s.client.HMGet(ctx, recordKey(key), "v", "d").Result()
	if err != nil {
		return agents.Stored{}, unavailable(ctx, err)
	}
	version, ok := fields[0].(string)
	if !ok {
		return agents.Stored{}, agents.ErrNotFound
	}
	stored := agents.Stored{}
	if stored.Version, err = strconv.ParseUint(version, 10, 64); err != nil {
		return agents.Stored{}, fmt.Errorf("%w: the version of %s: %w", agents.ErrUnfit, recordKey(key), err)
	}
	data, _ := fields[1].(string)
	stored.Data = []byte(data)
	return stored, nil
}

// Commit runs the change as one script.
func (s *Store) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	args := make([]any, 0, 5+len(change.Drop)+2*len(change.Put))
	args = append(args, change.Version, change.Data, changes, key.Name(), len(change.Drop))
	for _, id := range change.Drop {
		args = append(args, id)
	}
	for _, blob := range change.Put {
		args = append(args, blob.ID, blob.Data)
	}
	cmd, err := s.run(ctx, commitScript, []string{recordKey(key), blobsKey(key)}, args...)
	if err != nil {
		return 0, err
	}
	version, err := cmd.Uint64()
	return version, unavailable(ctx, err)
}

// Blobs asks for the blobs of each owner with one command, all of them in one round trip
// to each server.
func (s *Store) Blobs(ctx context.Context, refs []agents.BlobRef) ([][]byte, error) {
	type request struct {
		ids   []string
		at    []int // the places of ids in refs
		reply *redis.SliceCmd
	}
	requests := map[agents.Key]*request{} // owner → its blobs
	for i, ref := range refs {
		r := requests[ref.Owner]
		if r == nil {
			r = &request{}
			requests[ref.Owner] = r
		}
		r.ids, r.at = append(r.ids, ref.ID), append(r.at, i)
	}
	blobs := make([][]byte, len(refs))
	_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for owner, r := range requests {
			r.reply = pipe.HMGet(ctx, blobsKey(owner), r.ids...)
		}
		return nil
	})
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	for _, r := range requests {
		for i, value := range r.reply.Val() {
			if text, ok := value.(string); ok {
				blobs[r.at[i]] = []byte(text)
			}
		}
	}
	return blobs, nil
}

// Owned lists the blobs of key in one answer: ids are short, and it is asked for rarely.
func (s *Store) Owned(ctx context.Context, key agents.Key, prefix string) (ids []string, err error) {
	all, err := s.client.HKeys(ctx, blobsKey(key)).Result()
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	for _, id := range all {
		if strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Delete removes both keys of the agent in one script.
func (s *Store) Delete(ctx context.Context, key agents.Key, version uint64) error {
	_, err := s.run(ctx, deleteScript, []string{recordKey(key), blobsKey(key)}, version, changes, key.Name())
	return err
}
