package record

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"trunkline/proxy"
)

// Config is what a Recorder needs. Zero values are usable except for Dir.
type Config struct {
	// Dir is made if it is missing.
	Dir string
	// Settings are those of the proxy.
	Settings Settings
	// Queue bounds what is recorded and not yet written, in bytes. Zero: 128 MiB.
	Queue int64
	// FileBytes is the size from which a file is followed by another. Zero: 64 MiB.
	FileBytes int64
	// TotalBytes bounds the files of all recorders in Dir: before a file is begun, the
	// oldest are removed. Zero: 1 GiB.
	TotalBytes int64
	// Trace is told what happened.
	Trace Trace
	// Log defaults to discarding.
	Log *slog.Logger
}

// Trace is a set of optional hooks; they must not block.
type Trace struct {
	// Written is told of each exchange on the disk, with the bytes of its line.
	Written func(bytes int64)
	// Dropped is told of each exchange that was not recorded.
	Dropped func(Lost)
}

// Lost says why an exchange was not recorded.
type Lost string

const (
	LostQueueFull Lost = "queue_full" // the disk is slower than the traffic
	LostDisk      Lost = "disk"       // the disk refused it
	LostClosed    Lost = "closed"     // it ended after the recorder
)

// A Recorder writes the exchanges of a proxy to files. It implements [proxy.Recorder].
type Recorder struct {
	Config
	run     string
	count   atomic.Uint64
	queued  atomic.Int64 // bytes held
	jobs    chan *job
	closing chan struct{}
	close   sync.Once
	done    chan struct{} // the writer has returned
	dropped atomic.Int64

	mu      sync.Mutex
	tenants map[string]int // tenant → its number in this process
}

// job is a whole exchange on its way to the disk.
type job struct {
	x    *Exchange
	held int64 // bytes that it holds of the queue
}

// maxJobs bounds the exchanges that wait; Queue bounds their bytes.
const maxJobs = 1024

// maxTenants bounds the numbering; who comes later shares a number.
const maxTenants = 1 << 16

// New makes the directory and starts a Recorder. It fails when no file can be made there.
func New(c Config) (*Recorder, error) {
	if c.Queue == 0 {
		c.Queue = 128 << 20
	}
	if c.FileBytes == 0 {
		c.FileBytes = 64 << 20
	}
	if c.TotalBytes == 0 {
		c.TotalBytes = 1 << 30
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	var run [4]byte
	rand.Read(run[:])
	r := &Recorder{
		Config: c, run: hex.EncodeToString(run[:]),
		jobs: make(chan *job, maxJobs), closing: make(chan struct{}), done: make(chan struct{}),
		tenants: map[string]int{},
	}
	probe, err := os.OpenFile(filepath.Join(c.Dir, ".probe-"+r.run), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return nil, err
	}
	go r.write()
	return r, nil
}

// Begin implements [proxy.Recorder].
func (r *Recorder) Begin(req *http.Request, tenant string) proxy.Recording {
	rec := &recording{Recorder: r, began: time.Now()}
	rec.client.recording = rec
	rec.x = Exchange{
		ID:       r.run + "-" + strconv.FormatUint(r.count.Add(1), 10),
		Start:    rec.began.UTC(),
		Settings: r.Settings,
		Client: Request{
			Method:  req.Method,
			Path:    recordedPath(req.URL),
			Tenant:  r.tenant(tenant),
			Headers: recorded(req.Header),
		},
	}
	return rec
}

// tenant numbers who sent a request; 0 is whoever sends no credential. What tells them apart
// is no credential, and by now a key of the proxy's own has been taken from the headers.
func (r *Recorder) tenant(tenant string) int {
	if tenant == proxy.LocalTenant {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.tenants[tenant]
	if !ok && len(r.tenants) < maxTenants {
		n = len(r.tenants) + 1
		r.tenants[tenant] = n
	}
	return n
}

// enqueue hands an exchange to the writer, or drops it.
func (r *Recorder) enqueue(j *job) {
	why := LostQueueFull
	select {
	case <-r.closing:
		why = LostClosed
	default:
		select {
		case r.jobs <- j:
			return
		default:
		}
	}
	r.queued.Add(-j.held)
	r.lost(why)
}

func (r *Recorder) lost(why Lost) {
	if n := r.dropped.Add(1); n == 1 {
		r.Log.Warn("exchanges are not recorded", "dir", r.Dir, "why", why)
	}
	if r.Trace.Dropped != nil {
		r.Trace.Dropped(why)
	}
}

// Dropped returns how many exchanges were not recorded.
func (r *Recorder) Dropped() int64 { return r.dropped.Load() }

// Close writes what is queued and ends the Recorder. When ctx ends first, what is left is
// dropped; a disk that hangs does not hang the caller.
func (r *Recorder) Close(ctx context.Context) error {
	r.close.Do(func() { close(r.closing) })
	select {
	case <-r.done:
	case <-ctx.Done():
		return fmt.Errorf("record: %d exchanges are not written: %w", len(r.jobs), context.Cause(ctx))
	}
	if n := r.Dropped(); n > 0 {
		r.Log.Warn("exchanges were not recorded", "dir", r.Dir, "count", n)
	}
	return nil
}
