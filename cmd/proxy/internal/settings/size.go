package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, at least 1. Its text is an integer and a unit: B
// (or nothing), KiB, MiB, GiB, or the decimal KB, MB, GB; case does not matter.
type Size int64

// units lists longer names before their endings.
var units = []struct {
	name string
	size int64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3},
	{"B", 1},
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := strings.ToLower(string(text)), int64(1)
	for _, u := range units {
		if number, ok := strings.CutSuffix(digits, strings.ToLower(u.name)); ok {
			digits, unit = strings.TrimSpace(number), u.size
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return fmt.Errorf("want a size such as 64MiB or a number of bytes, got %q", text)
	}
	*s = Size(n * unit)
	return nil
}

// String returns the size in the largest binary unit that holds it exactly.
func (s Size) String() string {
	for _, u := range units[:3] {
		if s > 0 && int64(s)%u.size == 0 {
			return fmt.Sprintf("%d%s", int64(s)/u.size, u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}
