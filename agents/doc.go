// Package agents keeps agents: their registration, activations, turns, messages and
// settlements. It knows nothing of prompts, HTTP, or how a store works.
//
// Promise: a message that was accepted reaches the model it was sent to exactly once, in
// order, or its sender is told why not; a child's end reaches its parent exactly once,
// after everything that the child sent; and no failure of a process, between any two
// writes, changes that.
//
// # Shape
//
// [Agent] is a value, and the rules are its methods: no I/O, no clock, no goroutine. A
// [Service] loads a record, applies one rule and commits it if no other writer came
// between, else again from the start. An [Exchange] is the one client request that holds
// an agent. Several Services, in several processes, may share one [Store]; their clocks
// must agree to a fraction of the lease.
//
// # Invariants
//
//  1. One record, one decision. Whether a turn ends and whether a message is accepted are
//     commits to one record: a message is there before the turn ends and extends it, or
//     it finds the turn over and is parked. Whether a child settles is the same commit
//     that finds its inbox empty, nothing reserved and no child live.
//  2. First in, first out. Messages and notices share one list. What a step takes is its
//     front; what comes back from a step goes before what came later.
//  3. Once. A model's send is named by sender, step and call ordinal, a program's by its
//     key; a repeat is answered as the first was. Steps never repeat, not even when an id
//     is deleted and registered again: they are versions of the record.
//  4. An entry leaves the inbox when a provider has accepted a request that holds it,
//     when the provider has refused it, or when the agent is deleted; in the last two
//     cases its sender is told. Until then it is pending, or reserved: it stands in the
//     history and is not taken again. Reserved entries are in the inbox, and nothing but
//     a plan that finds them gone from the history makes them pending again.
//     One that is pending for a day is reported to its sender, once.
//  5. One notice for each activation, behind the child's messages: both are appended to
//     the parent's inbox by the child's own doing, in order, and the notice is one commit
//     with taking the child off the parent's list. What comes from an activation that is
//     not on the list is refused.
//  6. An agent between two requests is running only while a client may still continue its
//     turn: after Residency, or an interrupt, the turn is over. A root is live until
//     RootTTL without a sign of life or a live child; it never settles.
//  7. One holder. A lease names the version that it was taken on; every write of an
//     exchange is refused once the record has another lease or none. Whoever decides
//     anything because a lease has lapsed takes it away in the same commit, and every write
//     of the holder renews it in the same commit. So a holder that was stopped for longer
//     than its lease has been decided about, and writes nothing more, or its first write
//     takes the lease again before anybody could. It is not refused where nobody came: a
//     busy machine, or a store that was away, would cost an answer that nothing contradicts.
//  8. An interrupt ends one turn as aborted: entries stay, descendants run on. A request
//     that only continues that turn is refused, unless a message came since.
//  9. An agent that is marked for deletion is not found by anyone, and its descendants are
//     removed before it. No agent is retired while another is registered below it.
//  10. An id that was deleted is free at once. The agent of that id is told from earlier ones
//     by the version that it was born as, and its children name the birth of the one that
//     they are under. Whoever deletes, sweeps or strikes late does it to the agent that it
//     has read, or to none: a record at its version, a name as it was listed.
//
// # Durable before told
//
// What a step sends upstream is committed with its place (Begin, Next) before it is sent.
// The parent lists an activation before a provider hears of it: Begin flushes the
// child-started before it returns. An answer is committed (Answered) before the client sees
// its end, and a message is in its target's inbox before the model reads that it was
// delivered. What one record decides about another goes into its Outbox in the same
// commit, is then appended there, idempotently, and is taken out last. Any process may
// flush an outbox, and be late: a target recognises what it was told, and a start is
// written only to a parent that has not changed since the start was seen to stand. Each
// start is followed by its settlement, also when the agent is deleted before its parent
// has heard of it, and that changes the parent.
//
// # A crash
//
// The normal path of a failure is the path of a crash: an exchange that fails writes
// nothing but the end of its lease, so what the next request finds is the same.
//
//   - After Begin or Next, before the provider accepts: the entries stay reserved. The
//     client's repeat is planned on the same history, with the same entries at the same
//     place; a history that moved back before them returns them to the inbox.
//   - After acceptance, before Accepted: the same; the repeat sends them in the same
//     place once more, so the model has them once.
//   - Between Begin's commit and the child-started: no provider was called. The next
//     Begin, or a sweep, flushes it.
//   - After Record, before the calls are executed or their results recorded: the next
//     request executes them under the recorded step, so nothing is sent twice.
//   - After Answered, before the answer reached the client: History.Delivered is false,
//     and a repeat of the request is a retry. It opens nothing, so a settled child stays
//     settled.
//   - Between a settlement and its notice: the next Begin, or a sweep, flushes it, before
//     anything of a new activation.
//   - Within a deletion: the mark stays, and a sweep or a registration of the id goes on.
//   - Within a registration: a name without a record is struck by a sweep. A record whose
//     parent was deleted meanwhile is deleted by whoever registers it again, or by a sweep.
//   - A lease is let lapse. Writes that were on their way arrive before that or are refused,
//     and are no sign of life: that is a lease renewed after somebody asks. So a request
//     that comes again at once, while a last renewal still arrives, waits and takes over.
//     On a store that only one process can have open, a lease of another holder is void.
//
// # Keys
//
// An agent's record is JSON ([Agent]). Its blobs are text:ID for the text of inbox entry
// ID, and closing:N for the closing message of turn N, kept until the next turn opens. The
// histories, node:… and head:…, are put by the exchanges and named by History; this package
// reads neither.
//
// # Concurrency
//
// A Service is safe for concurrent use. An Exchange belongs to one goroutine, except for
// Interrupted and Lost. Hints of the store only shorten waits.
package agents
