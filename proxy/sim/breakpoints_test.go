package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trunkline/proxy/sim"
)

// marked is a message whose text carries a cache marker.
func marked(role, text, marker string) string {
	return `{"role":"` + role + `","content":[{"type":"text","text":"` + text + `",` + marker + `}]}`
}

const (
	control = `"cache_control":{"type":"ephemeral"}`
	pointed = `"prompt_cache_breakpoint":{"mode":"explicit"}`
)

// upTo is how many tokens a prompt of these messages has up to the end of the last one's
// text: all but the end of it and the marker after which the model speaks.
func upTo(t *testing.T, messages ...string) int {
	t.Helper()
	prompt, _ := cached(t, sim.Config{}, body("", messages...))
	return prompt - 2
}

func TestExplicitBreakpoints(t *testing.T) {
	cfg := sim.Config{Breakpoints: sim.ExplicitBreakpoints}
	sys, one, two := words("system", 2000), words("one", 1500), words("two", 900)
	plain := []string{msg("system", sys), msg("user", one), msg("assistant", "ok"), msg("user", two)}
	with := func(marker string, at ...int) string {
		list := slices.Clone(plain)
		for _, i := range at {
			list[i] = marked([]string{"system", "user", "assistant", "user"}[i], []string{sys, one, "ok", two}[i], marker)
		}
		return body("", list...)
	}
	for name, tt := range map[string]struct {
		first, second string
		hit           int
	}{
		"without a marker nothing is kept":       {body("", plain...), body("", plain...), 0},
		"without a marker nothing is found":      {with(control, 3), body("", plain...), 0},
		"a marked text is found where it ends":   {with(control, 0), with(control, 0), upTo(t, plain[0])},
		"an entry is found from a later marker":  {with(control, 1), with(control, 3), upTo(t, plain[:2]...)},
		"an entry behind the marker is not":      {with(control, 3), with(control, 1), 0},
		"the longest of several":                 {with(control, 0, 1, 2), with(control, 0, 2), upTo(t, plain[:3]...)},
		"the other provider's marker is nothing": {with(pointed, 3), with(pointed, 3), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if _, hit := cached(t, cfg, tt.first, tt.second); hit != tt.hit {
				t.Errorf("hit %d tokens, want %d", hit, tt.hit)
			}
		})
	}
}

func TestExplicitBreakpointsLookBackTwentyBlocks(t *testing.T) {
	cfg := sim.Config{Breakpoints: sim.ExplicitBreakpoints, Lenient: true}
	first := marked("user", words("first", 500), control)
	for between, found := range map[int]bool{19: true, 20: false} {
		later := []string{first[:strings.Index(first, ","+control)] + "}]}"}
		for i := range between {
			later = append(later, msg("user", fmt.Sprint("more ", i)))
		}
		_, hit := cached(t, cfg, body("", first), body("", append(later, marked("user", "last", control))...))
		if (hit > 0) != found {
			t.Errorf("with %d blocks between: hit %d", between, hit)
		}
	}
}

func TestExplicitBreakpointsAreFewAndOnTexts(t *testing.T) {
	_, _, url := dial(t, sim.Config{Breakpoints: sim.ExplicitBreakpoints})
	one := marked("user", "x", control)
	for b, want := range map[string]int{
		body("", one, one, one, one):            200,
		body("", one, one, one, one, one):       400,
		body("", marked("user", "", control)):   400,
		body("", msg("user", "x"), msg("", "")): 400,
	} {
		if status, got := post(t, url+"/v1/chat/completions", b); status != want {
			t.Errorf("%s: %d %s, want %d", b, status, got, want)
		}
	}
}

func TestImplicitBreakpoints(t *testing.T) {
	cfg := sim.Config{Breakpoints: sim.ImplicitBreakpoints}
	sys, one, two := msg("system", words("system", 2000)), msg("user", words("one", 1500)), msg("user", words("two", 900))
	ok, other := msg("assistant", "ok"), msg("user", words("other", 1100))
	head := marked("system", words("system", 2000), pointed)
	said := marked("assistant", "ok", pointed)
	for name, tt := range map[string]struct {
		first, second []string
		hit           int
	}{
		"the last message's end is found":               {[]string{sys, one}, []string{sys, one, ok, two}, upTo(t, sys, one)},
		"an end that nobody wrote is not":               {[]string{sys, one}, []string{sys, other}, 0},
		"a marked end of the instructions is":           {[]string{head, one}, []string{sys, other}, upTo(t, sys)},
		"a marker does not turn the last one's end off": {[]string{head, one}, []string{head, one, ok, two}, upTo(t, sys, one)},
		"an answer cannot bear a marker":                {[]string{sys, one, said, two}, []string{sys, one, said, other}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if _, hit := cached(t, cfg, body("", tt.first...), body("", tt.second...)); hit != tt.hit {
				t.Errorf("hit %d tokens, want %d", hit, tt.hit)
			}
		})
	}
}
