package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// Agent is one durable conversation: the record that a Store keeps.
//
// It is a value: transitions are the methods of this package that change it, none of
// them does I/O, and all times come from the caller. Whoever holds an Agent holds a copy;
// only Service commits one.
type Agent struct {
	// Identity, fixed at registration.
	ID      string   `json:"id"`
	Parent  string   `json:"parent,omitempty"` // "" for a root
	Root    string   `json:"root"`             // itself for a root
	Depth   int      `json:"depth,omitempty"`  // edges to the root
	Mode    Mode     `json:"mode"`
	Kind    Kind     `json:"kind"`
	Driver  Driver   `json:"driver"`
	Label   string   `json:"label,omitempty"`
	Notify  Notify   `json:"notify"`
	Head    HeadRule `json:"head,omitempty"`
	Deny    []string `json:"deny,omitempty"` // standard tools that this agent does not get
	Created int64    `json:"created"`        // Unix milliseconds
	// Born is the version that the record was first committed as; 0 until the second commit.
	// It tells an agent from an earlier one that had its id; Under is Parent's, since a child
	// is the child of that one only. 0 in a record of an earlier version of this program.
	Born  uint64 `json:"born,omitempty"`
	Under uint64 `json:"under,omitempty"`

	Status Status `json:"status"`
	// Epoch numbers the activation: the present one while the agent is running or idle,
	// the last one while it is ready. It grows when an activation opens, never else.
	Epoch uint64 `json:"epoch,omitempty"`
	// Opened is the first step of that activation. It names the activation to the parent:
	// unlike Epoch it never repeats when an id is deleted and registered again.
	Opened uint64 `json:"opened,omitempty"`
	// Turn counts the turns admitted so far; the open one while running.
	Turn uint64 `json:"turn,omitempty"`
	// Step names the latest upstream request, by the version of the record that it was
	// planned on. So it grows with each request and never repeats, not even when the id
	// is deleted and registered again. It orders this agent's sends: one of an earlier
	// step than one already heard is stale.
	Step uint64 `json:"step,omitempty"`
	// Ahead: it was registered ahead of its first request, and outlives one that fails.
	Ahead bool `json:"ahead,omitempty"`
	// Begun: a provider has accepted a request of this agent.
	Begun bool `json:"begun,omitempty"`
	// Alive is the last sign of life of the agent's client, Unix milliseconds.
	Alive int64 `json:"alive,omitempty"`
	// Activity is the last change that anyone waiting for the agent would want to see.
	Activity uint64 `json:"activity,omitempty"`
	// Lately are the latest of the agent's events that nothing else in it shows any more.
	Lately []Event `json:"lately,omitempty"`

	History History `json:"history"`

	// Inbox is the next-step list in order of acceptance. An entry leaves it when the
	// provider has accepted a request that holds it, not before.
	Inbox []Entry `json:"inbox,omitempty"`
	// Reserved are the ids of Inbox entries that stand in History already, in order.
	// They wait for the provider's acceptance, or for the next request to decide. No
	// end of a turn clears them: what stands in History would be taken a second time.
	Reserved []string `json:"reserved,omitempty"`
	// Lease is the exchange being served; nil between exchanges. At most one. Whoever
	// ends a turn because the lease has lapsed clears it, so that its holder is fenced.
	Lease *Lease `json:"lease,omitempty"`
	// Stop is an interrupt of the latest turn; it outlives that turn, until the next one
	// opens, so that a late continuation can be refused.
	Stop *Stop `json:"stop,omitempty"`

	// Children are the live children: id → Opened of the activation that was announced.
	Children map[string]uint64 `json:"children,omitempty"`
	// Youngest is when the latest child was created, Unix milliseconds: each is created later
	// than the one before it by this record, so that lists have one order, whatever clocks say.
	Youngest int64 `json:"youngest,omitempty"`
	// Heard is what was accepted from each sender in its latest step: sender id → mark.
	// At most maxHeard are of neighbours that are not live.
	Heard map[string]Heard `json:"heard,omitempty"`
	// Posts are the last MaxEntries sends that were accepted from programs.
	Posts []Post `json:"posts,omitempty"`
	// Told is the latest report taken from each neighbour: its id → Intent.Seq.
	Told map[string]uint64 `json:"told,omitempty"`
	// Outbox are appends to other agents' records that are decided but not yet known to
	// be done. Each is idempotent at its target. No provider is called while it holds a
	// child-started.
	Outbox []Intent `json:"outbox,omitempty"`

	// Outcome is how the last turn ended; "" before the first one did.
	Outcome Outcome `json:"outcome,omitempty"`
	// Closing is the id of the blob with the text of the answer that ended the last turn;
	// "" while a turn is open, and when it ended without one.
	Closing string `json:"closing,omitempty"`
	// Ending: the agent is being deleted. Nobody but who carries that out sees it.
	Ending bool `json:"ending,omitempty"`
}

// closingBlob names the closing message of the present turn (blobs never change).
func (a *Agent) closingBlob() string { return fmt.Sprintf("closing:%d", a.Turn) }

// History is where an agent's conversation stands. This package moves it as a whole and
// reads nothing from it: what a branch or a head is, prefix knows.
type History struct {
	Head      string   `json:"head,omitempty"`      // blob id of the head last sent
	HeadOwner string   `json:"headOwner,omitempty"` // whose blob; "" is the agent itself
	Standard  []string `json:"standard,omitempty"`  // which tools of the head are the proxy's
	Branch    string   `json:"branch,omitempty"`    // where the branch ends
	Len       int      `json:"len,omitempty"`       // entries in it
	// Inherited are the leading entries that are the parent's, Owners the ancestors
	// that own blobs of them, nearest first, and ForkHead (of Owners[0]) is the head
	// that the parent had at the fork.
	Inherited int      `json:"inherited,omitempty"`
	Owners    []string `json:"owners,omitempty"`
	ForkHead  string   `json:"forkHead,omitempty"`
	ForkOwner string   `json:"forkOwner,omitempty"`
	// Sent are the leading entries that a provider has been sent, Echoed those that the
	// client has shown to know.
	Sent   int `json:"sent,omitempty"`
	Echoed int `json:"echoed,omitempty"`
	// Base is how many entries stood before the answer of the last exchange. Whole: that
	// answer is complete. Delivered: it reached the client whole.
	Base      int  `json:"base,omitempty"`
	Whole     bool `json:"whole,omitempty"`
	Delivered bool `json:"delivered,omitempty"`
	// Executing is the step whose answer ends the branch with calls of ours that have
	// no results yet; 0: none. A repeat executes them under the same step.
	Executing uint64 `json:"executing,omitempty"`
	// Resends: a fork child's client sends the inherited history itself.
	Resends bool `json:"resends,omitempty"`
	// ResendsFrom: the item of the branch with which what it sends begins; not 0 when it
	// knows a parent's own items only, which is a fork itself.
	ResendsFrom int `json:"resends_from,omitempty"`
	// Keeps says whether the client sends reasoning back: "yes", "no", or "" not known yet.
	Keeps string `json:"keeps,omitempty"`
	// Trimmed is when entries were first cut off that have not been collected since, Unix
	// milliseconds; 0: none were.
	Trimmed int64 `json:"trimmed,omitempty"`
	// Provisional: the client has not shown to know an answer of the branch yet.
	Provisional bool `json:"provisional,omitempty"`
	// Last is the last request of this branch, under this head, that a provider has
	// answered; nil when there is none.
	Last *Sending `json:"last,omitempty"`
}

// Sending is a request that a provider has answered: what its cache may still hold.
type Sending struct {
	At       int64  `json:"at"` // when it was sent, Unix milliseconds
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Len      int    `json:"len"` // entries of the branch in it
	// Prompt are the tokens that the provider reported for it, Through those up to the end
	// of its answer; 0: not known.
	Prompt  int64 `json:"prompt,omitempty"`
	Through int64 `json:"through,omitempty"`
}

// Lease is the right to write an agent's history, held by one exchange of one proxy.
type Lease struct {
	Holder string `json:"holder"` // the proxy process
	Seq    uint64 `json:"seq"`    // fences: every later write of the exchange names it
	Until  int64  `json:"until"`  // Unix milliseconds; lapsed afterwards
	// Answered: the exchange's answer is recorded; only its delivery is still open, so
	// a request that extends the answer need not wait.
	Answered bool `json:"answered,omitempty"`
}

// Stop is an interrupt of the latest turn. The next turn clears it.
type Stop struct {
	Turn    uint64 `json:"turn"`
	Message bool   `json:"message,omitempty"` // a message was accepted since
}

// Heard marks the sends accepted from one sender in its latest step.
type Heard struct {
	Step uint64 `json:"step"`
	// Sends says how each was routed: call ordinal → route, so that a repeat is told
	// the same.
	Sends map[int]Route `json:"sends"`
}

// Post marks a send of a program, so that its repeat is told the same.
type Post struct {
	ID    string `json:"id"`
	Route Route  `json:"route"`
}

type (
	Mode     string
	Kind     string
	Driver   string
	Notify   string
	HeadRule string
	Status   string
	Outcome  string
)

const (
	ModeRoot  Mode = "root"
	ModeFork  Mode = "fork"  // inherits the parent's completed turns
	ModeSpawn Mode = "spawn" // starts empty

	Continuable Kind = "continuable"
	OneShot     Kind = "one-shot"

	ClientDriven Driver = "client"

	NotifySettled Notify = "settled"
	NotifyNone    Notify = "none"

	HeadOwn     HeadRule = "own"
	HeadInherit HeadRule = "inherit"

	Running Status = "running" // a turn is open
	Idle    Status = "idle"    // resident between turns
	Ready   Status = "ready"   // in the store only; can be resumed

	Completed Outcome = "completed"
	Aborted   Outcome = "aborted"
	MaxTokens Outcome = "max-tokens"
	Refusal   Outcome = "refusal"
	Failed    Outcome = "error"
)

// bornAt names the agent, as read at a version, among all that ever had its id: by Born, which
// it has from its second commit on, and until then by the only version that it has had.
func (a *Agent) bornAt(version uint64) uint64 { return cmp.Or(a.Born, version) }

// Live reports whether the agent has an open activation.
func (a *Agent) Live() bool { return a.Status == Running || a.Status == Idle }

// Leased reports whether an exchange holds the agent now. A holder that another process
// can only have been, on a store that no other process can open, holds nothing.
func (a *Agent) Leased(now time.Time, holder string, exclusive bool) bool {
	l := a.Lease
	return l != nil && now.UnixMilli() <= l.Until && (l.Holder == holder || !exclusive)
}

func (a *Agent) encode() ([]byte, error) { return json.Marshal(a) }

func decode(data []byte) (*Agent, error) {
	a := new(Agent)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return a, nil
}
