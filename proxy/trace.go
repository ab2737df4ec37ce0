package proxy

import "time"

// Trace is a set of optional hooks, called synchronously after the fact; they must not
// block. Package metrics fills it.
type Trace struct {
	// Request is told of each client request when its response has ended.
	Request func(RequestInfo)
	// Step is told of each provider request when its answer has ended.
	Step func(StepInfo)
}

// And returns the hooks of both, t's first.
func (t Trace) And(u Trace) Trace {
	return Trace{
		Request: func(i RequestInfo) { call(t.Request, i); call(u.Request, i) },
		Step:    func(i StepInfo) { call(t.Step, i); call(u.Step, i) },
	}
}

func call[T any](hook func(T), info T) {
	if hook != nil {
		hook(info)
	}
}

// Outcome is how a request ended, as a label.
type Outcome string

const (
	OutcomeOK         Outcome = "ok"
	OutcomeClientGone Outcome = "client_gone"
	OutcomeRefused    Outcome = "refused"    // by the proxy: 4xx of its own
	OutcomeProvider   Outcome = "provider"   // an error answer of the provider, relayed
	OutcomeIncomplete Outcome = "incomplete" // the provider's answer broke off, or ended without saying how
	OutcomeUpstream   Outcome = "upstream"   // the provider could not be reached or was silent
	OutcomeProxy      Outcome = "proxy"      // the proxy or its store failed
)

// RequestInfo describes one client request.
type RequestInfo struct {
	Tenant   string // whose it is; "": it had no valid key
	Route    string // chat, responses, messages, other
	Model    string
	Outcome  Outcome
	Relation Relation
	Steps    int
	// Took is from the request's first byte here to the response's last.
	Took time.Duration
	// Overhead is the time that the proxy itself took before the first provider request:
	// from the whole body being here to the request going out. A wait for siblings that
	// go first is not in it. 0: no provider was asked.
	Overhead time.Duration

	began time.Time // of the overhead
}

// forward notes that the first provider request is ready to go out.
func (i *RequestInfo) forward() {
	if i.Overhead == 0 {
		i.Overhead = time.Since(i.began)
	}
}

// Relation says what a request's prompt is to what went before.
type Relation string

const (
	RelationRoot         Relation = "root"         // a root's first request
	RelationContinuation Relation = "continuation" // a later request of any agent
	RelationFork         Relation = "fork"         // a fork child's first request
	RelationSpawn        Relation = "spawn"        // a spawn child's first request
	RelationAuxiliary    Relation = "auxiliary"    // beside an agent's branch
	RelationAnonymous    Relation = "anonymous"
)
