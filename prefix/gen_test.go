package prefix

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// Generators of raw JSON in the spellings that clients use: with and without
// white space, escaped and not, with numbers that a float would round.

var genSpace = rapid.SampledFrom([]string{"", "", "", " ", "\n\t", " \r\n"})

var genScalar = rapid.SampledFrom([]string{
	`null`, `true`, `0`, `-0`, `1.0`, `1e2`, `12345678901234567890`, `""`, `"a"`, `"\u0061"`, `"half \ud83d end"`,
	"\"\xff\"", `"é"`, `"\u00e9"`, `"{\"x\":1}"`, `[]`, `{}`, `"]},"`,
})

var genValue = rapid.Custom(func(t *rapid.T) string {
	s := func() string { return genSpace.Draw(t, "space") }
	switch rapid.IntRange(0, 5).Draw(t, "shape") {
	case 0:
		return fmt.Sprintf(`{%s"k"%s:%s,"\u006b":%s}`, s(), s(), genScalar.Draw(t, "v"), genScalar.Draw(t, "v"))
	case 1:
		return fmt.Sprintf(`[%s%s%s,%s]`, s(), genScalar.Draw(t, "v"), s(), genScalar.Draw(t, "v"))
	default:
		return genScalar.Draw(t, "v")
	}
})

var genItem = rapid.Custom(func(t *rapid.T) string {
	role := rapid.SampledFrom([]string{"user", "assistant", "tool"}).Draw(t, "role")
	return fmt.Sprintf(`{"role":%q,%s"content":%s}`, role, genSpace.Draw(t, "space"), genValue.Draw(t, "content"))
})

var genSystem = rapid.Custom(func(t *rapid.T) string {
	role := rapid.SampledFrom([]string{"system", "developer"}).Draw(t, "role")
	return fmt.Sprintf(`{"role":%q,"content":%s}`, role, genValue.Draw(t, "content"))
})

var genTool = rapid.Custom(func(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"pick", "scan", "move", "look"}).Draw(t, "name")
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, name, genValue.Draw(t, "parameters"))
})

func raws(g *rapid.Generator[string], most int) *rapid.Generator[[][]byte] {
	return rapid.Map(rapid.SliceOfN(g, 0, most), func(s []string) [][]byte { return values(s...) })
}

var genItems = raws(genItem, 6)

var genFields = rapid.Custom(func(t *rapid.T) []Field {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"model", "tool_choice", "reasoning_effort", "x_vendor", "prompt_cache_key", ""}), 0, 5, rapid.ID).Draw(t, "names")
	var out []Field
	for _, name := range names {
		out = append(out, Field{name, []byte(genValue.Draw(t, "value"))})
	}
	return out
})

var genHead = rapid.Custom(func(t *rapid.T) Head {
	return Head{
		Tools:  raws(genTool, 5).Draw(t, "tools"),
		System: raws(genSystem, 3).Draw(t, "system"),
		Fields: genFields.Draw(t, "fields"),
	}
})

// genBody draws bodies whose messages and tools are arrays, null or absent.
var genBody = rapid.Custom(func(t *rapid.T) string {
	s := func() string { return genSpace.Draw(t, "space") }
	members := []string{}
	array := func(name string, values []string) {
		switch rapid.IntRange(0, 5).Draw(t, name) {
		case 0:
		case 1:
			members = append(members, fmt.Sprintf(`"%s":null`, name))
		default:
			for i := range values {
				values[i] = s() + values[i] + s()
			}
			members = append(members, fmt.Sprintf(`%q%s:%s[%s]`, name, s(), s(), strings.Join(values, ",")))
		}
	}
	history := append(rapid.SliceOfN(genSystem, 0, 2).Draw(t, "system"), rapid.SliceOfN(genItem, 0, 5).Draw(t, "items")...)
	array("messages", history)
	array("tools", rapid.SliceOfN(genTool, 0, 4).Draw(t, "list"))
	for _, f := range genFields.Draw(t, "fields") {
		members = append(members, fmt.Sprintf(`%s:%s%s`, Quote(f.Name), s(), f.Raw))
	}
	for _, name := range []string{"temperature", "stream", "user"} {
		if rapid.Bool().Draw(t, name) {
			members = append(members, fmt.Sprintf(`%q:%s`, name, genScalar.Draw(t, "value")))
		}
	}
	members = rapid.Permutation(members).Draw(t, "order")
	for i := range members {
		members[i] = s() + members[i] + s()
	}
	return s() + "{" + strings.Join(members, ",") + "}" + s()
})
