package proxy_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trunkline/proxy"
)

func gzipped(t testing.TB, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t testing.TB, body []byte, options ...zstd.EOption) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(body, nil)
}

// TestEncodedBodiesGoUpDecoded checks that what is understood goes up plain.
func TestEncodedBodiesGoUpDecoded(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		half := gzipped(t, []byte(ask[:20]))
		for _, c := range []struct {
			coding string
			body   []byte
		}{
			{"gzip", gzipped(t, []byte(ask))},
			{"x-gzip", gzipped(t, []byte(ask))},
			{"GZIP", append(half, gzipped(t, []byte(ask[20:]))...)},
			{"zstd", zstandard(t, []byte(ask))},
			{"zstd", append(zstandard(t, []byte(ask[:20])), zstandard(t, []byte(ask[20:]))...)},
			{"identity", []byte(ask)},
			{"identity, gzip", gzipped(t, []byte(ask))},
			{"", []byte(ask)},
		} {
			e := newEdge(t, reply(200, "application/json", saidJSON("yes")))
			a := e.post(string(c.body), append([]string{"Content-Encoding", c.coding, "Accept-Encoding", "gzip, br"}, who...)...)
			got := e.one()
			if a.StatusCode != 200 || string(got.body) != ask {
				t.Errorf("%q: status %d, upstream got %q", c.coding, a.StatusCode, got.body)
			}
			if got.header.Get("Content-Encoding") != "" && c.coding != "" || got.header.Get("Accept-Encoding") != "identity" || got.chunked {
				t.Errorf("%q: upstream got headers %v", c.coding, got.header)
			}
		}
	})
}

// TestBadEncodings checks the proxy's answer to bodies that it cannot decode, and that the
// provider does not hear of them.
func TestBadEncodings(t *testing.T) {
	whole := gzipped(t, []byte(ask))
	zwhole := zstandard(t, []byte(ask))
	broken := bytes.Clone(whole)
	broken[len(broken)-6] ^= 1 // the checksum
	bomb := bytes.Repeat([]byte(" "), 3<<20)
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8} // a frame that asks for a window of 2 GiB
	for _, c := range []struct {
		name, coding string
		body         []byte
		status       int
		code         string
	}{
		{"not gzip", "gzip", []byte(ask), 400, "bad_encoding"},
		{"empty gzip", "gzip", nil, 400, "bad_encoding"},
		{"truncated gzip", "gzip", whole[:len(whole)-9], 400, "bad_encoding"},
		{"gzip without its checksum", "gzip", whole[:len(whole)-4], 400, "bad_encoding"},
		{"broken gzip", "gzip", broken, 400, "bad_encoding"},
		{"gzip and more", "gzip", append(bytes.Clone(whole), "tail"...), 400, "bad_encoding"},
		{"gzip bomb", "gzip", gzipped(t, bomb), 413, "body_too_large"},
		{"not zstd", "zstd", []byte(ask), 400, "bad_encoding"},
		{"truncated zstd", "zstd", zwhole[:len(zwhole)-3], 400, "bad_encoding"},
		{"zstd bomb", "zstd", zstandard(t, bomb), 413, "body_too_large"},
		{"zstd window", "zstd", window, 400, "bad_encoding"},
		{"brotli", "br", []byte(ask), 415, "unknown_encoding"},
		{"deflate", "deflate", []byte(ask), 415, "unknown_encoding"},
		{"twice", "gzip, gzip", gzipped(t, whole), 415, "unknown_encoding"},
		{"plain, too large", "", bomb, 413, "body_too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyone(t, func(t *testing.T, who []string) {
				e := newEdge(t, reply(200, "application/json", saidJSON("yes")), func(c *proxy.Config) { c.MaxBody = 2 << 20 })
				a := e.post(string(c.body), append([]string{"Content-Encoding", c.coding}, who...)...)
				if a.err != nil || a.StatusCode != c.status || a.Header.Get("X-Trunkline-Error") != c.code {
					t.Fatalf("error %v, response %+v, body %s", a.err, a.Response, a.body)
				}
				if !strings.HasPrefix(a.body, `{"error":{"message":"`) || !strings.Contains(a.body, `"code":"`+c.code+`"`) {
					t.Errorf("body %s", a.body)
				}
				if got := e.sent(); len(got) != 0 {
					t.Errorf("the provider got %d requests", len(got))
				}
				if o := e.outcome(); o != proxy.OutcomeRefused {
					t.Errorf("outcome %s", o)
				}
			})
		})
	}
}

// TestEncodedBodiesElsewhere checks that a route that is not understood gets its bytes and
// their coding as they are, also those that nobody can decode.
func TestEncodedBodiesElsewhere(t *testing.T) {
	e := newEdge(t, reply(200, "application/json", "{}"))
	body := gzipped(t, []byte(ask))
	for _, coding := range []string{"gzip", "br"} {
		e.send(e.request("POST", "/v1/embeddings", bytes.NewReader(body), "Content-Encoding", coding, "Accept-Encoding", "br"))
		got := e.sent()[len(e.sent())-1]
		if !bytes.Equal(got.body, body) || got.header.Get("Content-Encoding") != coding || got.header.Get("Accept-Encoding") != "br" {
			t.Errorf("%s: upstream got %d bytes, headers %v", coding, len(got.body), got.header)
		}
	}
}

// TestEncodedAnswersPass checks that a provider that encodes its answer nevertheless is
// relayed as it is.
func TestEncodedAnswersPass(t *testing.T) {
	everyone(t, func(t *testing.T, who []string) {
		body := string(gzipped(t, []byte(saidJSON("yes"))))
		for _, kind := range []string{"application/json", "text/event-stream"} {
			e := newEdge(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				reply(200, kind, body)(w, r)
			})
			if a := e.post(ask, who...); a.err != nil || a.body != body || a.Header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s: error %v, %d bytes, headers %v", kind, a.err, len(a.body), a.Header)
			}
		}
	})
}
