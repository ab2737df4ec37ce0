package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"trunkline/agents"
)

// teller carries out the commands of a story. A word @p2 chooses the process; without it
// p1 acts, and an exchange stays with the process that began it.
type teller struct {
	t      *testing.T
	store  agents.Store
	tenant string
	procs  map[string]*process
	sits   map[string]*sitting // exchange name → exchange
	texts  map[string]string   // entry id → as rendered
	at     *process            // that acts in the present command
}

type process struct {
	*agents.Service
	starts int
	stop   context.CancelFunc
	heard  chan struct{}
}

// sitting is an exchange with what a story says of it.
type sitting struct {
	*agents.Exchange
	at      *process
	request request
	sends   int // in the present step
}

func newTeller(t *testing.T, store agents.Store, tenant string, alone bool) *teller {
	if !alone {
		store = apart{store}
	}
	w := &teller{t: t, store: store, tenant: tenant, procs: map[string]*process{}, sits: map[string]*sitting{}, texts: map[string]string{}}
	t.Cleanup(func() {
		for _, p := range w.procs {
			w.stop(p)
		}
	})
	return w
}

func (w *teller) stop(p *process) {
	for _, x := range w.sits {
		if x.at == p {
			x.Abandon()
		}
	}
	p.stop()
	<-p.heard
}

func (w *teller) start(name string, starts int) {
	ctx, stop := context.WithCancel(context.Background())
	p := &process{starts: starts, stop: stop, heard: make(chan struct{})}
	p.Service = agents.New(agents.Config{Store: w.store, Holder: fmt.Sprintf("%s#%d", name, starts), Lease: 10 * time.Minute})
	go func() { defer close(p.heard); _ = p.Hear(ctx) }()
	w.procs[name] = p
}

// do carries out a command and shows its result; "error …" for a failure.
func (w *teller) do(words []string) string {
	name := "p1"
	words = slices.DeleteFunc(words, func(word string) bool {
		if strings.HasPrefix(word, "@") {
			name = word[1:]
			return true
		}
		return false
	})
	if w.procs[name] == nil {
		w.start(name, 1)
	}
	w.at = w.procs[name]
	command, ok := commands[words[0]]
	if !ok {
		w.t.Fatalf("unknown command %q", words[0])
	}
	args := make([]string, 8)
	copy(args, words[1:])
	return command(w, args)
}

var commands = map[string]func(w *teller, args []string) string{
	// register ID [parent=ID] [kind=…] [mode=…] [notify=…]
	"register": func(w *teller, args []string) string {
		var who agents.Identity
		for _, arg := range args[1:] {
			field, value, _ := strings.Cut(arg, "=")
			switch field {
			case "parent":
				who.Parent = value
			case "kind":
				who.Kind = agents.Kind(value)
			case "mode":
				who.Mode = agents.Mode(value)
			case "notify":
				who.Notify = agents.Notify(value)
			}
		}
		_, err := w.at.Register(w.t.Context(), w.key(args[0]), who)
		return result("ok", err)
	},
	// begin EXCHANGE ID prompt|continue|rewind NAME, begin EXCHANGE ID wake: what it takes
	"begin": func(w *teller, args []string) string {
		r := request{args[2], args[3]}
		x, err := w.at.Begin(w.t.Context(), w.key(args[1]), r.plan(w.see))
		if err == nil {
			w.sits[args[0]] = &sitting{Exchange: x, at: w.at, request: r}
		}
		return result(w.reserved(x), err)
	},
	// next EXCHANGE NAME: its calls have results NAME; what it takes
	"next": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		x.sends = 0
		err := x.Next(w.t.Context(), request{"continue", args[1]}.plan(w.see))
		return result(w.reserved(x.Exchange), err)
	},
	"accepted": func(w *teller, args []string) string {
		return result("ok", w.sits[args[0]].Accepted(w.t.Context()))
	},
	// refused EXCHANGE: the provider takes the request without the entries only
	"refused": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		return result("ok", x.Refused(w.t.Context(), without(x.Agent.History, x.Agent.Reserved), nil))
	},
	// send EXCHANGE TO TEXT: how it is routed
	"send": func(w *teller, args []string) string {
		return w.sits[args[0]].send(w.t.Context(), args[1], args[2])
	},
	// resend EXCHANGE TO TEXT: the last send once more
	"resend": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		x.sends--
		return x.send(w.t.Context(), args[1], args[2])
	},
	// post FROM TO TEXT [KEY]
	"post": func(w *teller, args []string) string {
		r, err := w.at.SendAs(w.t.Context(), w.key(args[0]), args[1], args[2], args[3])
		return result(string(r.Route), err)
	},
	// answer EXCHANGE OUTCOME TEXT [json]: over, or goes on
	"answer": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		over, err := x.Answered(w.t.Context(), agents.Turn{
			History: answered(x.Agent.History, "a."+x.request.name), Over: true,
			Outcome: agents.Outcome(args[1]), Closing: args[2], Extend: args[3] != "json",
		})
		if !over && err == nil {
			return "goes on"
		}
		return result("over", err)
	},
	// calls EXCHANGE: the answer calls the client's tools
	"calls": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		_, err := x.Answered(w.t.Context(), agents.Turn{History: answered(x.Agent.History, "c."+x.request.name)})
		return result("ok", err)
	},
	// close EXCHANGE [lost]: the answer reached the client, or did not
	"close": func(w *teller, args []string) string {
		return result("ok", w.sits[args[0]].Close(w.t.Context(), args[1] != "lost"))
	},
	"rollback": func(w *teller, args []string) string {
		return result("ok", w.sits[args[0]].Rollback(w.t.Context()))
	},
	"interrupt": func(w *teller, args []string) string {
		return result("ok", w.sits[args[0]].Interrupt(w.t.Context(), args[1]))
	},
	"stop": func(w *teller, args []string) string { return result("ok", w.at.Stop(w.t.Context(), w.key(args[0]))) },
	// hears EXCHANGE: the next thing that it hears, interrupt or loss
	"hears": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		select {
		case <-x.Interrupted():
			return "interrupt"
		case <-x.Lost():
			return "loss"
		case <-time.After(20 * time.Second):
			return "error nothing"
		}
	},
	// meet ID: what a second request finds
	"meet": func(w *teller, args []string) string {
		snap, err := w.at.Load(w.t.Context(), w.key(args[0]))
		if err != nil {
			return result("", err)
		}
		met, err := w.at.Meet(w.t.Context(), snap)
		return result(map[agents.Met]string{agents.Free: "free", agents.Concurrent: "concurrent"}[met], err)
	},
	"delete": func(w *teller, args []string) string { return result("ok", w.at.Delete(w.t.Context(), w.key(args[0]))) },
	"sweep":  func(w *teller, args []string) string { return result("ok", w.at.Sweep(w.t.Context())) },
	// crash PROCESS: it ends, and starts again
	"crash": func(w *teller, args []string) string {
		p := w.procs[args[0]]
		w.stop(p)
		w.start(args[0], p.starts+1)
		return "ok"
	},
	// pass DURATION: all that the records remember is that much longer ago
	"pass": func(w *teller, args []string) string {
		d, err := time.ParseDuration(args[0])
		if err != nil {
			return result("", err)
		}
		return result("ok", w.age(d.Milliseconds()))
	},
	// show ID: status, outcome, live children, and the inbox
	"show": func(w *teller, args []string) string {
		a, err := w.at.Load(w.t.Context(), w.key(args[0]))
		if err != nil {
			return result("", err)
		}
		out := string(a.Status)
		if a.Status != agents.Running && a.Outcome != "" {
			out += " " + string(a.Outcome)
		}
		if len(a.Children) > 0 {
			out += " over " + strings.Join(slices.Sorted(maps.Keys(a.Children)), ",")
		}
		if len(a.Inbox) > 0 {
			out += " holds " + w.entries(a.Key, a.Inbox)
		}
		return out
	},
	// count ID: epoch and turn
	"count": func(w *teller, args []string) string {
		a, err := w.at.Load(w.t.Context(), w.key(args[0]))
		if err != nil {
			return result("", err)
		}
		return fmt.Sprintf("epoch %d turn %d", a.Epoch, a.Turn)
	},
	// prompt ID: the history, entries rendered
	"prompt": func(w *teller, args []string) string {
		a, err := w.at.Load(w.t.Context(), w.key(args[0]))
		if err != nil {
			return result("", err)
		}
		items := strings.Fields(a.History.Branch)
		for i, item := range items {
			if text, ok := w.texts[item]; ok {
				items[i] = text
			}
		}
		return strings.Join(items, " ")
	},
	// list ID children|descendants
	"list": func(w *teller, args []string) string {
		below, err := w.at.List(w.t.Context(), w.key(args[0]), agents.Scope(args[1]))
		var lines []string
		for _, l := range below {
			if l.Diagnostic != "" {
				lines = append(lines, l.ID+" broken")
				continue
			}
			lines = append(lines, fmt.Sprintf("%s %s %d", l.ID, l.Status, l.Depth))
		}
		return result(strings.Join(lines, ", "), err)
	},
	// members ID: the names in a root's tree
	"members": func(w *teller, args []string) string {
		ids, err := names(w.t.Context(), w.store, w.key(args[0]))
		return result(strings.Join(ids, ","), err)
	},
	// break ID: its record becomes unreadable
	"break": func(w *teller, args []string) string {
		stored, err := w.store.Load(w.t.Context(), w.key(args[0]))
		if err == nil {
			_, err = w.store.Commit(w.t.Context(), w.key(args[0]), agents.Change{Version: stored.Version, Data: []byte("{")})
		}
		return result("ok", err)
	},
	// fill EXCHANGE ID: as many messages as an inbox takes
	"fill": func(w *teller, args []string) string {
		x := w.sits[args[0]]
		for range agents.MaxEntries {
			if got := x.send(w.t.Context(), args[1], "filler"); strings.HasPrefix(got, "error") {
				return got
			}
		}
		return fmt.Sprint(x.sends)
	},
}

func (x *sitting) send(ctx context.Context, to, text string) string {
	r, err := x.Send(ctx, x.Agent.Step, x.sends, to, text)
	x.sends++
	return result(string(r.Route), err)
}

func (w *teller) key(id string) agents.Key { return agents.Key{Tenant: w.tenant, ID: id} }

func (w *teller) see(p agents.Pending) { w.texts[p.ID] = render(p.Entry, p.Text) }

// reserved shows what stands in the exchange's history and is not accepted yet.
func (w *teller) reserved(x *agents.Exchange) string {
	if x == nil || len(x.Agent.Reserved) == 0 {
		return "takes nothing"
	}
	var out []string
	for _, id := range x.Agent.Reserved {
		out = append(out, w.texts[id])
	}
	return "takes " + strings.Join(out, " ")
}

func (w *teller) entries(key agents.Key, entries []agents.Entry) string {
	var out []string
	for _, e := range entries {
		text, err := w.store.Blobs(w.t.Context(), []agents.BlobRef{{Owner: key, ID: e.TextBlob()}})
		if err != nil {
			w.t.Fatal(err)
		}
		if text[0] == nil {
			w.t.Fatalf("entry %s of agent %s has no text", e.ID, key.ID)
		}
		out = append(out, render(e, string(text[0])))
	}
	return strings.Join(out, " ")
}

// age moves every time in the tenant's records back by ms.
func (w *teller) age(ms int64) error {
	ctx := w.t.Context()
	for cursor := ""; ; {
		roots, next, err := w.store.Roots(ctx, cursor, 100)
		if err != nil {
			return err
		}
		for _, root := range roots {
			if root.Tenant != w.tenant {
				continue
			}
			ids, err := names(ctx, w.store, root)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := w.ageOne(w.key(id), ms); err != nil && !errors.Is(err, agents.ErrNotFound) {
					return err
				}
			}
		}
		if cursor = next; next == "" {
			return nil
		}
	}
}

func (w *teller) ageOne(key agents.Key, ms int64) error {
	stored, err := w.store.Load(w.t.Context(), key)
	if err != nil {
		return err
	}
	var a agents.Agent
	if json.Unmarshal(stored.Data, &a) != nil {
		return nil // broken by the story
	}
	a.Alive -= ms
	if a.Lease != nil {
		a.Lease.Until -= ms
	}
	for i := range a.Inbox {
		a.Inbox[i].At -= ms
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = w.store.Commit(w.t.Context(), key, agents.Change{Version: stored.Version, Data: data})
	return err
}
