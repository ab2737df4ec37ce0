package reuse

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCalibrationTokens(t *testing.T) {
	c := Calibration{course: []mark{{4000, 1000}, {8000, 3000}, {10_000, 4000}}}
	c = c.With(Point{4000, 1000}).With(Point{8000, 2000})
	for _, tt := range []struct{ bytes, want int64 }{
		{0, 0}, {2000, 500}, {4000, 1000}, {6000, 1500}, {8000, 2000},
		{9000, 2500}, // as the course goes on
	} {
		if got, known := c.Tokens(tt.bytes); got != tt.want || !known {
			t.Errorf("%d bytes: %d tokens, %v; want %d", tt.bytes, got, known, tt.want)
		}
	}
	if _, known := (Calibration{}).Tokens(1); known {
		t.Error("an empty calibration claims to know")
	}
	if got, known := (Calibration{known: true, course: []mark{{400, 100}}}).Tokens(200); got != 50 || !known {
		t.Errorf("by the course alone: %d, %v", got, known)
	}
}

// One report of a prompt whose head has twice the tokens a byte.
func TestCalibrationOfADenseHead(t *testing.T) {
	c := Calibration{course: []mark{{1000, 500}, {6000, 1750}}}.With(Point{5000, 3000})
	for bytes, want := range map[int64]int64{500: 500, 1000: 1000, 3000: 2000, 5000: 3000, 6000: 3250} {
		if got, _ := c.Tokens(bytes); got != want {
			t.Errorf("%d bytes: %d tokens, want %d", bytes, got, want)
		}
	}
}

func TestCalibrationDropsWhatANewReportContradicts(t *testing.T) {
	c := Calibration{}.With(Point{4000, 1000}).With(Point{8000, 2000}).With(Point{6000, 3000})
	if len(c.Points) != 2 || c.Points[1] != (Point{6000, 3000}) {
		t.Errorf("%v", c.Points)
	}
	if c = c.With(Point{0, 5}).With(Point{5, 0}); len(c.Points) != 2 {
		t.Errorf("an empty point was taken: %v", c.Points)
	}
}

// A prefix that ends where a report was made is exact, and the estimate never
// decreases with the bytes.
func TestCalibrationIsMonotonicAndExactAtItsPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Calibration
		for range rapid.IntRange(0, 5).Draw(t, "marks") {
			var last mark
			if n := len(c.course); n > 0 {
				last = c.course[n-1]
			}
			c.course = append(c.course, mark{
				last.bytes + rapid.Int64Range(0, 300).Draw(t, "mark bytes"), last.tokens + rapid.Float64Range(0, 300).Draw(t, "mark tokens"),
			})
		}
		for range rapid.IntRange(1, 10).Draw(t, "n") {
			p := Point{rapid.Int64Range(1, 1000).Draw(t, "bytes"), rapid.Int64Range(1, 1000).Draw(t, "tokens")}
			c = c.With(p)
			if got, _ := c.Tokens(p.Bytes); got != p.Tokens {
				t.Fatalf("%v: %d", p, got)
			}
		}
		var last int64
		for n := range int64(1200) {
			got, known := c.Tokens(n)
			if got < last || !known {
				t.Fatalf("%d bytes: %d tokens after %d", n, got, last)
			}
			last = got
		}
	})
}
