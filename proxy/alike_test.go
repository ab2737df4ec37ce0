package proxy

import (
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	long := strings.Repeat("You read files and answer in few words about what stands in them. ", 20)
	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"the same":              {long, long, true},
		"a nonce":               {"n=aa01; " + long, "n=bb02; " + long, true},
		"a nonce and a clock":   {"n=aa01; " + long + " Now: 10:01.", "n=bb02; " + long + " Now: 10:02.", true},
		"three of them":         {"n=aa01; " + long + " at 10:01 " + long + " on Monday", "n=bb02; " + long + " at 10:02 " + long + " on Tuesday", true},
		"another text":          {long, strings.Repeat("Summarise this conversation so that somebody else can go on with it. ", 20), false},
		"as many words anew":    {"n=aa01; " + long + strings.Repeat("Write tests first. ", 90), "n=bb02; " + long + strings.Repeat("Never test at all. ", 90), false},
		"a short other text":    {"Be brief.", "Name this chat.", false},
		"all of it and more":    {"n=aa01; " + long, "n=bb02; " + long + strings.Repeat("Then title it in five words. ", 60), false},
		"nothing, and a prompt": {"", long, false},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := [][]byte{[]byte(c.a)}, [][]byte{[]byte(c.b)}
			if alike(x, y) != c.want || alike(y, x) != c.want {
				t.Errorf("alike: %v and %v, want %v", alike(x, y), alike(y, x), c.want)
			}
		})
	}
	if alike([][]byte{[]byte(long)}, nil) {
		t.Error("a prompt is like none")
	}
}
