package record_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"trunkline/proxy/record"
)

// TestBytesAreExact: what is read back is what went over the wire, text or not.
func TestBytesAreExact(t *testing.T) {
	answer := "\x00\xff not UTF-8 \u2028 \r\n\t\"\\"
	dir := filepath.Join(t.TempDir(), "recordings")
	r := startRecorder(t, record.Config{Dir: dir})
	var got []byte
	url := startProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		io.WriteString(w, answer)
	}), r)
	for _, body := range []string{
		`{"model":"m", "messages":[{"role":"user","content":"é \ud800 \u2028 ` + "\u2028" + `"}] }` + "\n",
		"\xfe\x00 any bytes \\u0000 \x7f",
	} {
		path := "/v1/chat/completions"
		if body[0] != '{' {
			path = "/v1/files"
		}
		resp, err := http.Post(url+path, "application/octet-stream", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if string(got) != body {
			t.Fatalf("the provider got %q of %q", got, body)
		}
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	exchanges, _, err := record.Read(files(t, dir)[0])
	if err != nil || len(exchanges) != 2 {
		t.Fatalf("%d exchanges, %v", len(exchanges), err)
	}
	for _, x := range exchanges {
		up := x.Upstream[0]
		if client := x.Client.Body.Bytes(); !bytes.Equal(client, up.Request.Body.Bytes()) || len(client) == 0 {
			t.Errorf("recorded of the client %q, to the provider %q", client, up.Request.Body.Bytes())
		}
		if got := up.Response.Body(); string(got) != answer || up.Response.End != record.EndWhole {
			t.Errorf("recorded answer %q, %s", got, up.Response.End)
		}
		if got := x.Response.Body(); string(got) != answer {
			t.Errorf("recorded response %q", got)
		}
	}
	if body := exchanges[1].Client.Body.Bytes(); string(body) != "\xfe\x00 any bytes \\u0000 \x7f" {
		t.Errorf("recorded %q", body)
	}
}

// FuzzText: whatever the bytes and however they are cut, they come back.
func FuzzText(f *testing.F) {
	f.Add([]byte("plain"), 2)
	f.Add([]byte("\xff\"\\\n\x00é"), 5)
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		cut = min(max(cut, 0), len(body))
		x := record.Exchange{Client: record.Request{Body: record.Text{body[:cut], body[cut:]}}}
		x.Response.Chunks = []record.Chunk{{At: 1, Data: body}}
		file := filepath.Join(t.TempDir(), "x.jsonl")
		if err := record.WriteFile(file, []*record.Exchange{&x}); err != nil {
			t.Fatal(err)
		}
		read, _, err := record.Read(file)
		if err != nil || len(read) != 1 {
			t.Fatalf("%d exchanges, %v", len(read), err)
		}
		if got := read[0].Client.Body.Bytes(); !bytes.Equal(got, body) {
			t.Errorf("%q came back as %q", body, got)
		}
		if got := read[0].Response.Body(); !bytes.Equal(got, body) {
			t.Errorf("chunk %q came back as %q", body, got)
		}
	})
}
