package record

import (
	"context"
	"errors"

	"trunkline/agents"
	"trunkline/proxy"
)

// Observe returns the store with what recorded requests do there noted in their recordings.
// What failed, and so changed nothing, is not.
func Observe(s agents.Store) agents.Store { return observed{s} }

type observed struct{ agents.Store }

// touched notes a touch with the request that ctx belongs to.
func touched(ctx context.Context, t Touch) {
	if r, ok := proxy.RecordingOf(ctx).(*recording); ok {
		r.touch(t)
	}
}

// wrote notes a write, or that it was refused.
func wrote(ctx context.Context, err error, agent string, version uint64) {
	r, ok := proxy.RecordingOf(ctx).(*recording)
	switch {
	case !ok:
	case err == nil:
		r.touch(Touch{Write: true, Agent: agent, Version: version})
	case errors.Is(err, agents.ErrConflict):
		r.failed(agent)
	}
}

func (o observed) Load(ctx context.Context, key agents.Key) (agents.Stored, error) {
	stored, err := o.Store.Load(ctx, key)
	if err == nil || errors.Is(err, agents.ErrNotFound) {
		touched(ctx, Touch{Agent: key.ID, Version: stored.Version})
	}
	return stored, err
}

func (o observed) Commit(ctx context.Context, key agents.Key, change agents.Change) (uint64, error) {
	version, err := o.Store.Commit(ctx, key, change)
	wrote(ctx, err, key.ID, version)
	return version, err
}

func (o observed) Delete(ctx context.Context, key agents.Key, version uint64) error {
	err := o.Store.Delete(ctx, key, version)
	wrote(ctx, err, key.ID, version+1)
	return err
}

func (o observed) Enroll(ctx context.Context, root agents.Key, id string) error {
	err := o.Store.Enroll(ctx, root, id)
	wrote(ctx, err, "", 0)
	return err
}

func (o observed) Strike(ctx context.Context, root agents.Key, member agents.Member) error {
	err := o.Store.Strike(ctx, root, member)
	wrote(ctx, err, "", 0)
	return err
}

func (o observed) Members(ctx context.Context, root agents.Key) ([]agents.Member, error) {
	members, err := o.Store.Members(ctx, root)
	if err == nil {
		touched(ctx, Touch{})
	}
	return members, err
}
