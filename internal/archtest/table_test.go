package archtest

// A path names one package, relative to the module; "path/..." names it and
// all below it, "path/*" only those below it.

// row says which packages of the project the packages at of may import.
type row struct {
	of  string
	may []string
	why string
}

// dependency says which packages may import what is at or below a module.
type dependency struct {
	module string
	in     []string
	why    string
}

// inside is the table of imports within the project. The longest path that
// matches a package is its row; a package without a row is an error, since
// somebody has to decide where it stands. What a package holds below itself
// in an internal directory it may import without a word here.
var inside = []row{
	{"prefix/...", []string{"prefix/..."},
		"bytes and their accounting are pure: they can be tested without anything else, and everything else builds on them"},

	{"agents", nil,
		"the rules of agents know neither prompts nor HTTP nor a store's engine: each of these can be replaced under them"},
	{"agents/boltstore", []string{"agents"},
		"a store knows the interface that it implements"},
	{"agents/redisstore", []string{"agents"},
		"a store knows the interface that it implements"},
	{"agents/redisstore/redistest", nil,
		"starting a server for tests needs nothing of the project"},
	{"agents/storetest", []string{"agents"},
		"one conformance suite for all stores: it may know none of them"},

	{"tools", []string{"agents"},
		"a tool's effect is a call on agents; what becomes of the prompt is the proxy's part"},

	{"proxy", []string{"prefix", "prefix/...", "agents", "tools", "proxy/api", "proxy/sse", "proxy/keys"},
		"the edge ties the three together; it is handed a store ready made, and shows itself to metrics through hooks"},
	{"proxy/api", []string{"prefix", "prefix/reuse", "agents", "tools"},
		"to tell of agents takes no provider and no key: the edge hands it bodies, histories and accounts, and serves it"},
	{"proxy/sse", nil,
		"framing is a matter of bytes alone"},
	{"proxy/record", []string{"prefix", "prefix/reuse", "agents", "agents/boltstore", "tools", "proxy", "proxy/sse"},
		"it fills the hooks that the edge declares, and replays what it kept through a whole proxy of its own"},
	{"proxy/record/recordtest", []string{"proxy/record"},
		"replaying as a test adds nothing to replaying but the test"},
	{"proxy/keys", []string{"agents"},
		"a file that people write, and whose agents a key reaches"},
	{"proxy/sim", nil,
		"the judge shares no code with what it judges"},

	{"metrics", []string{"prefix", "prefix/...", "agents", "tools", "proxy", "proxy/record"},
		"metrics fill the hooks that the others declare, so none of them depends on how they are counted"},
	{"spans", []string{"prefix", "proxy"},
		"as metrics: it fills a hook that the edge declares"},
	{"dashboards/...", []string{"metrics", "dashboards/..."},
		"boards are generated from the names of the metrics"},

	{"cmd/proxy", []string{"prefix", "prefix/reuse", "agents", "agents/boltstore", "agents/redisstore", "tools", "proxy", "proxy/api", "proxy/sse", "proxy/keys", "proxy/record", "proxy/sim", "metrics", "spans"},
		"wiring: the one place that knows everything, except what only tests need"},
	{"cmd/proxy/internal/settings", nil,
		"where a flag's value comes from has nothing to do with what it is for"},

	{"cmd/proxy/internal/top", []string{"prefix", "agents", "proxy/api", "internal/figure"},
		"it draws what the edge tells of itself"},
	{"cmd/proxy/internal/demo", []string{"prefix", "proxy/sse", "proxy/sim"},
		"the story is told from outside, by a client and a provider; it only reads usage reports as the proxy does"},

	{"e2e", nil,
		"tests only, and they go through the binary"},
	{"e2e/harness", nil,
		"what runs the binary may not link what is in it"},
	{"e2e/recordings", nil,
		"what clients sent is older than anything that reads it"},
	{"e2e/benchfork", []string{"prefix", "proxy/sse", "internal/figure"},
		"it measures from outside; it only reads usage reports as the proxy does"},
	{"e2e/clients/...", nil,
		"clients as their users write them: they know a URL and no more"},
	{"examples/...", nil,
		"programs as users write them: they know a URL and no more"},
	{"internal/figure", nil,
		"how a number is written is the same wherever people read it"},
	{"internal/archtest", nil,
		"tests only"},
}

// outside is the table of dependencies: a module's import path, and the only
// packages that may import it outside tests. A dependency without a row is an
// error.
var outside = []dependency{
	{"github.com/prometheus", []string{"metrics"},
		"counters are one implementation of the hooks; nobody pays for it who does not use it"},
	{"go.opentelemetry.io", []string{"spans"},
		"spans are one implementation of the hooks, and off unless asked for"},
	{"github.com/redis/go-redis", []string{"agents/redisstore", "agents/redisstore/redistest"},
		"the client's types and errors end at the store"},
	{"go.etcd.io/bbolt", []string{"agents/boltstore"},
		"the file's transactions end at the store"},
	{"github.com/tiktoken-go/tokenizer", []string{"prefix/*"},
		"its first use costs hundreds of milliseconds and its tables megabytes: only who asks for tokens links it"},
	{"github.com/alecthomas/kong", []string{"cmd/proxy/..."},
		"flags are the program's; packages take configuration"},
	{"go.yaml.in/yaml", []string{"cmd/proxy/...", "proxy/..."},
		"files that people write"},
	{"github.com/sashabaranov/go-openai", []string{"cmd/proxy/...", "proxy", "e2e/clients/..."},
		"a client of ours, and its error types; a client's body never passes through its types, which drop what they do not know"},
	{"github.com/openai/openai-go", []string{"e2e/clients/...", "examples/..."},
		"a client that people use, and so do tests and examples"},
	{"github.com/klauspost/compress", []string{"proxy"},
		"zstd request bodies"},
	{"pgregory.net/rapid", []string{"agents/storetest"},
		"properties, for the packages that are there for tests"},
	{"golang.org/x/term", []string{"cmd/proxy"},
		"what a program draws on is the program's"},
	{"github.com/clipperhouse/displaywidth", []string{"cmd/proxy/internal/top"},
		"columns of a terminal, for what draws there"},
	{"golang.org/x/sync", []string{"..."},
		"groups and semaphores that the standard library lacks"},
}

// pure lists what must do no input or output of its own, and the packages of
// the standard library that would.
var pure = struct {
	of, not []string
	why     string
}{
	of:  []string{"prefix/...", "agents", "tools", "proxy/sse"},
	not: []string{"net", "net/http", "os", "os/exec", "os/signal", "syscall"},
	why: "what is decided without input and output can be replayed, fuzzed and tested exactly",
}
