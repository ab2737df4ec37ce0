package metrics

import (
	"fmt"
	"strings"
)

// Readme returns the contents of README.md: the table for people.
func Readme() string {
	var b strings.Builder
	b.WriteString(`# Metrics

Served at ` + "`GET /metrics`" + `, in the OpenMetrics format to those who ask for it. No key is
needed: there is no agent id, credential or prompt in any label, and no tenant unless
` + "`--tenant-label`" + ` puts it there.

This file is generated from the table in ` + "`table.go`" + ` (` + "`go generate ./metrics`" + `).

| metric | type | unit | labels | meaning |
|---|---|---|---|---|
`)
	for _, m := range Table() {
		names := make([]string, len(m.Labels))
		for i, l := range m.Labels {
			names[i] = "`" + l.Name + "`"
		}
		if m.ByTenant {
			names = append(names, "(`"+tenantLabel+"`)")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Type, m.Unit, strings.Join(names, ", "), m.Help)
	}
	b.WriteString(`
The Go runtime (` + "`go_*`" + `), the process (` + "`process_*`" + `) and the build (` + "`go_build_info`" + `)
are described as usual.

## Label values

Every label is bounded. Closed sets are served with the value 0 from the start, those of a
model from its first answer.

| label | of | values |
|---|---|---|
`)
	for _, m := range Table() {
		for _, l := range m.Labels {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", l.Name, m.Name, l.readme())
		}
	}
	fmt.Fprintf(&b, `
`+"`model`"+` is a model that the provider has answered for; the first %d get series of their own,
all others are counted as `+"`%s`"+`, requests that name none as `+"`%s`"+`. `+"`provider`"+` is the name of the
proxy's provider profile.

With `+"`--tenant-label`"+` the metrics that list (`+"`%s`"+`) also say whose the requests were: by the
tenant of their key, with `+"`--auth`"+`; else by a hash of the client's credential, or `+"`local`"+` without
one. The first %d tenants that the provider has answered get series of their own, all others
are counted as `+"`%s`"+`, requests without a valid key as `+"`%s`"+`. A tenant's series are there with the
value 0 from its first answer. Whoever can read the metrics then sees the tenants' names.

## How the figures belong together

- The four values of `+"`cache`"+` are disjoint and add up to the prompt tokens. `+"`%s`"+` is
  what a provider did not say: it is no miss. Of a request without any usage it is an
  estimate, and 0 while there is nothing to estimate by.
- Only completed provider requests count in tokens, the same ones in every metric, so
  expected and read tokens compare.
- Of what was expected (`+"`%s`"+`), the provider read a part, missed a part
  (the shortfall with the cause `+"`routing`"+`), or did not say (`+"`unreported`"+`). The sum of the three is
  larger where it reads more than its rules promise, and off by up to one step of its count, or one per
  cent of the prompt, for each request. The other causes of `+"`%s`"+`
  say why no more was expected.
- A break is a request that left what was sent before. A first request (`+"`cold_start`"+`) breaks
  nothing and is not counted as one.
`, maxValues, other, none, tenantLabel, maxValues, other, none, CacheUnreported, PrefixExpectedTokensTotal, PrefixShortfallTokensTotal)
	return b.String()
}

func (l Label) readme() string {
	if l.Values == nil {
		return "open, bounded"
	}
	return "`" + strings.Join(l.Values, "`, `") + "`"
}
