package figure_test

import (
	"math"
	"testing"

	"trunkline/internal/figure"
)

func TestOf(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := figure.Of(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
