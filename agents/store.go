package agents

import (
	"context"
	"errors"
)

// Store keeps records and blobs. It compares and sets, and knows no rule: every rule
// is in this package, so that two engines cannot differ in one.
//
// Implementations are safe for concurrent use, and copy: the caller may reuse what it
// passed and change what it got. Each method either took effect whole or
// not at all; when an error leaves that open (a connection lost after the request was
// sent), the caller reads again, and every write of this package may be repeated.
type Store interface {
	Records
	Directory

	// Watch calls hint with the key of each agent that any process may have changed or
	// deleted, until ctx ends, and returns its error. Hints are lost and doubled at will:
	// a reader re-reads on its own timer too. A zero Key means that hints may have been
	// lost: it comes first, when hints begin to flow, and after each reconnect. hint must
	// not block, and is not called once Watch has returned.
	Watch(ctx context.Context, hint func(Key)) error

	// Exclusive reports whether no other process can have the store open, so that a
	// lease of another holder is void.
	Exclusive() bool

	// Check returns nil when the store can be read and written now.
	Check(ctx context.Context) error

	// Close releases the store. No other call may be running or follow.
	Close() error
}

// Records holds one record for each agent and the blobs that it owns. A record and its
// blobs live and change together; nothing here spans two agents.
type Records interface {
	// Load returns the record as the last successful Commit left it (linearizable).
	// ErrNotFound when the agent has none.
	Load(ctx context.Context, key Key) (Stored, error)

	// Commit makes the change durable in one atomic step if the record's version is
	// still change.Version, and returns the new version, which is greater than every one
	// that the key has had: after a Delete, too, none comes back.
	// ErrConflict when the record has another version, or is missing where Version is
	// not 0, or exists where Version is 0. Blobs of a refused commit are not kept.
	Commit(ctx context.Context, key Key, change Change) (version uint64, err error)

	// Blobs returns blobs by owner and id, in the order asked; nil for one that is
	// missing, and only for that: an empty one is not nil. While its agent is not deleted
	// a blob never changes, so the caller may cache it.
	Blobs(ctx context.Context, refs []BlobRef) ([][]byte, error)

	// Owned returns the ids of the agent's blobs that begin with prefix, in no order.
	Owned(ctx context.Context, key Key, prefix string) (ids []string, err error)

	// Delete removes the record, if its version is still version, and all its blobs.
	// A missing record is no error. ErrConflict as in Commit.
	Delete(ctx context.Context, key Key, version uint64) error
}

// Directory lists which agents may exist. It is a superset: a name is enrolled before
// its record is first committed and struck after the record is gone, so a listed agent
// without a record is one that is not there yet or no more.
type Directory interface {
	// Enroll adds id to the tree of root (a root enrolls itself), or enrolls it anew.
	Enroll(ctx context.Context, root Key, id string) error
	// Strike removes a member from the tree of root, the root itself last, unless it was
	// enrolled anew since it was listed: so a late Strike takes no name from an agent that
	// was registered meanwhile. Idempotent; a member that is not there is no error.
	Strike(ctx context.Context, root Key, member Member) error
	// Members returns the members of a tree, sorted by id.
	Members(ctx context.Context, root Key) ([]Member, error)
	// Roots returns up to limit roots (one where limit is less) of all tenants in a stable
	// order, from cursor ("" is the start), and the cursor of the next page ("" at the
	// end). A root that its own tree holds is listed, also when Enroll and Strike of it met.
	Roots(ctx context.Context, cursor string, limit int) (roots []Key, next string, err error)
	// RootsOf is Roots of one tenant. Its cost does not grow with what others have.
	RootsOf(ctx context.Context, tenant, cursor string, limit int) (roots []Key, next string, err error)
}

// Member is a name in a tree as it was listed.
type Member struct {
	ID   string
	Mark uint64 // of its latest Enroll; no other Enroll of the id in this tree has it
}

// Stored is a record as the store has it.
type Stored struct {
	Data    []byte
	Version uint64 // of this Data; greater than 0
}

// Change is one atomic write to an agent. Drop comes before Put: a blob in both is stored.
type Change struct {
	Version uint64   // the version that must still stand; 0: no record yet
	Data    []byte   // the new record
	Put     []Blob   // blobs to add; putting one that exists with the same id is a no-op
	Drop    []string // ids of own blobs to remove; missing ones are ignored
}

// Blob is an immutable value that an agent owns.
type Blob struct {
	ID   string
	Data []byte
}

// BlobRef names a blob of any agent.
type BlobRef struct {
	Owner Key
	ID    string
}

var (
	// ErrNotFound says that there is no such agent (for this tenant).
	ErrNotFound = errors.New("agent not found")
	// ErrConflict says that the record changed since it was read.
	ErrConflict = errors.New("the agent's record has changed")
	// ErrUnavailable wraps every failure to reach the store.
	ErrUnavailable = errors.New("the store is unavailable")
	// ErrUnfit wraps what makes a store unusable as it is configured or as it lies on disk.
	ErrUnfit = errors.New("the store is unfit")
)
