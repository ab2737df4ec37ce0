package sse

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []message
	}{
		{"LF", "data: a\n\ndata: b\n\n", []message{{"", "a", ""}, {"", "b", ""}}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []message{{"", "a", ""}, {"", "b", ""}}},
		{"CR", "data: a\r\rdata: b\r\r", []message{{"", "a", ""}, {"", "b", ""}}},
		{"mixed endings", "data: a\r\n\ndata: b\r\r\ndata: c\n\r", []message{{"", "a", ""}, {"", "b", ""}, {"", "c", ""}}},
		{"one space is cut", "data:  a\n\ndata:b\n\n", []message{{"", " a", ""}, {"", "b", ""}}},
		{"lines are joined", "data: a\ndata\ndata: b\n\n", []message{{"", "a\n\nb", ""}}},
		{"empty data", "data\n\ndata:\n\n", []message{{"", "", ""}, {"", "", ""}}},
		{"byte order mark", "\ufeffdata: a\n\n", []message{{"", "a", ""}}},
		{"byte order mark before a blank line", "\ufeff\ndata: a\n\n", []message{{"", "a", ""}}},
		{"later mark is part of the field name", "data: a\n\n\ufeffdata: b\n\n", []message{{"", "a", ""}}},
		{"named", "event: error\ndata: x\n\n", []message{{"error", "x", ""}}},
		{"case 26 comment", ": OPENROUTER PROCESSING\n\ndata: a\n\n", []message{{"", "a", ""}}},
		{"case 26 retry", "retry: 1000\n\ndata: a\n\n", []message{{"", "a", ""}}},
		{"case 26 id", "id: 7\ndata: a\n\n: ping\n\ndata: b\n\n", []message{{"", "a", "7"}, {"", "b", ""}}},
		{"case 30 half an event", "data: a\n\ndata: b\n", []message{{"", "a", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := 1; n <= len(tt.in); n++ {
				raw, got, _, err := drain(NewReader(&pieces{[]byte(tt.in), n}, 0))
				if err != nil || string(raw) != tt.in {
					t.Fatalf("reads of %d: raw %q, error %v", n, raw, err)
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("reads of %d: got %q, want %q", n, got, tt.want)
				}
			}
		})
	}
}

func TestIncompleteAtTheEnd(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want bool
	}{
		{"data: a\n\n", false},
		{"data: a\n\ndata: [DONE]\n", true},
		{"data: a\n\n: half", true},
		{"data: a\r\n\r\n", false},
	} {
		for n := range len(tt.in) {
			_, _, events, _ := drain(NewReader(&pieces{[]byte(tt.in), n + 1}, 0))
			last := events[len(events)-1]
			if last.Incomplete != tt.want || tt.want && last.Data != nil {
				t.Errorf("%q in reads of %d: last event %+v", tt.in, n+1, last)
			}
		}
	}
}

func TestReadErrorComesAfterTheBytes(t *testing.T) {
	reset := errors.New("reset")
	src := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), errReader{reset})
	raw, got, events, err := drain(NewReader(src, 0))
	if !errors.Is(err, reset) || string(raw) != "data: a\n\ndata: b" || len(got) != 1 {
		t.Fatalf("raw %q, messages %v, error %v", raw, got, err)
	}
	if !events[1].Incomplete {
		t.Fatal("the bytes before the reset must be marked incomplete")
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// An event is returned as soon as its blank line is there: another read could
// block until the provider's next token.
func TestNextDoesNotReadAhead(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\r\n\r\n", "data: a\r\r", "data: a\n\r", ": c\n\n"} {
		src := io.MultiReader(strings.NewReader(in), mustNotRead{t})
		e, err := NewReader(src, 0).Next()
		if err != nil || string(e.Raw) != in {
			t.Errorf("%q: got %q, %v", in, e.Raw, err)
		}
	}
}

// An event whose lines end in CRLF has the last LF too, however the stream arrives: a relay
// holds events, leaves them out and puts comments between them, and many clients know no line
// that ends in CR alone. It waits for that LF only, not for the end of the stream.
func TestTheLineFeedBelongsToItsEvent(t *testing.T) {
	want := []string{"data: a\r\n\r\n", ": c\r\n\r\n", "\r\n", "id: 7\r\ndata: b\r\n\r\n", "data: c\r\n\r"}
	in := strings.Join(want, "")
	for n := 1; n <= len(in); n++ {
		for _, max := range []int{0, 12} {
			_, _, events, err := drain(NewReader(&pieces{[]byte(in), n}, max))
			var got []string
			more := false
			for _, e := range events {
				if !more {
					got = append(got, "")
				}
				got[len(got)-1] += string(e.Raw)
				more = e.More
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("reads of %d, ceiling %d: got %q, error %v", n, max, got, err)
			}
			if last := events[len(events)-1]; last.Incomplete || string(last.Data) != "c" {
				t.Errorf("reads of %d, ceiling %d: last event %+v", n, max, last)
			}
		}
	}
	src := &pieces{[]byte("data: a\r\n\rdata: b\n\n"), 1}
	if e, err := NewReader(src, 0).Next(); err != nil || string(e.Raw) != "data: a\r\n\r" || len(src.b) == 0 {
		t.Errorf("without the LF: got %q, %v", e.Raw, err)
	}
}

type mustNotRead struct{ t *testing.T }

func (r mustNotRead) Read([]byte) (int, error) {
	r.t.Error("read although an event was buffered")
	return 0, io.EOF
}

func TestCase28LongLines(t *testing.T) {
	in := "data: " + strings.Repeat("x", 70_000) + "\n\ndata: " + strings.Repeat("y", 5<<20) + "\n\ndata: [DONE]\n\n"
	raw, got, _, err := drain(NewReader(&pieces{[]byte(in), 1 << 10}, 0))
	if err != nil || string(raw) != in {
		t.Fatalf("bytes changed, error %v", err)
	}
	if len(got) != 3 || len(got[0].Data) != 70_000 || len(got[1].Data) != 5<<20 || got[2].Data != "[DONE]" {
		t.Fatalf("%d events", len(got))
	}
}

// A provider that pauses behind a long event leaves nothing in the buffer: its space is
// given back, and what comes next is read into a new one.
func TestCase28PauseBehindALongEvent(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
		long, short := "data: "+strings.Repeat("x", 200_000)+end, "data: a"+end
		for _, max := range []int{0, 5000} {
			var reads []io.Reader
			for _, s := range []string{long, short, long, long, short, short} {
				reads = append(reads, strings.NewReader(s[:len(s)-1]), strings.NewReader(s[len(s)-1:]))
			}
			raw, got, _, err := drain(NewReader(io.MultiReader(reads...), max))
			if want := long + short + long + long + short + short; err != nil || string(raw) != want {
				t.Fatalf("%q, ceiling %d: bytes changed, error %v", end, max, err)
			}
			short := slices.DeleteFunc(got, func(m message) bool { return len(m.Data) > 1 })
			if a := (message{Data: "a"}); !slices.Equal(short, []message{a, a, a}) {
				t.Fatalf("%q, ceiling %d: got %q", end, max, short)
			}
		}
	}
}

// TestCase28Joins: a line that comes in small reads is put together in space, and so in
// copying, that grows as the line does.
func TestCase28Joins(t *testing.T) {
	for _, n := range []int{1 << 18, 1 << 20, 5 << 20} {
		in := []byte("data: " + strings.Repeat("y", n) + "\n\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := NewReader(&pieces{in, 1 << 10}, 0)
		e, err := r.Next()
		runtime.ReadMemStats(&after)
		if err != nil || len(e.Data) != n {
			t.Fatalf("%d bytes, error %v", len(e.Data), err)
		}
		if took := float64(after.TotalAlloc-before.TotalAlloc) / float64(n); took > 6 {
			t.Errorf("a line of %d bytes takes %.1f times its size", n, took)
		}
	}
}

func TestPastTheCeilingBytesStillPass(t *testing.T) {
	long := "data: " + strings.Repeat("z", 10_000) + "\r\n\r\n"
	in := "data: a\r\n\r\n" + long + "data: b\r\n\r\n"
	for _, n := range []int{1, 7, 1 << 10, 1 << 20} {
		raw, got, events, err := drain(NewReader(&pieces{[]byte(in), n}, 5000))
		if err != nil || string(raw) != in {
			t.Fatalf("reads of %d: bytes changed, error %v", n, err)
		}
		if want := []message{{"", "a", ""}, {"", "b", ""}}; !slices.Equal(got, want) {
			t.Fatalf("reads of %d: got %q", n, got)
		}
		var cut []byte
		ends := 0
		for _, e := range events {
			if e.Uninspected {
				cut = append(cut, e.Raw...)
				if !e.More {
					ends++
				}
			}
		}
		if ends != 1 || !bytes.Equal(bytes.Trim(cut, "\r\n"), []byte(strings.Trim(long, "\r\n"))) {
			t.Fatalf("reads of %d: %d ends, %d bytes in pieces", n, ends, len(cut))
		}
	}
}

func TestNoProgress(t *testing.T) {
	_, err := NewReader(errReader{nil}, 0).Next()
	if !errors.Is(err, io.ErrNoProgress) {
		t.Fatalf("got %v", err)
	}
}
