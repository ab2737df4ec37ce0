package settings

import "testing"

func TestSizeText(t *testing.T) {
	for _, test := range []struct {
		text  string
		bytes Size // 0: refused
		shown string
	}{
		{"1", 1, "1B"},
		{"1000b", 1000, "1000B"},
		{"1024", 1 << 10, "1KiB"},
		{"64MiB", 64 << 20, "64MiB"},
		{"64 mib", 64 << 20, "64MiB"},
		{"3gib", 3 << 30, "3GiB"},
		{"64MB", 64e6, "62500KiB"},
		{"2GB", 2e9, "1953125KiB"},
		{"5kb", 5000, "5000B"},
		{"9223372036854775807", 1<<63 - 1, "9223372036854775807B"},

		{"", 0, ""}, {"B", 0, ""}, {"MiB", 0, ""}, {"64M", 0, ""}, {"1.5GiB", 0, ""},
		{"0", 0, ""}, {"-1", 0, ""}, {"0KiB", 0, ""},
		{"9223372036854775808", 0, ""}, {"8589934592GiB", 0, ""},
	} {
		var size Size
		err := size.UnmarshalText([]byte(test.text))
		if (err == nil) != (test.bytes > 0) || size != test.bytes {
			t.Errorf("%q: %d, %v; want %d", test.text, size, err, test.bytes)
		}
		if err == nil && size.String() != test.shown {
			t.Errorf("%q is shown as %s, want %s", test.text, size, test.shown)
		}
	}
}
