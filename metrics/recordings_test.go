package metrics

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"trunkline/proxy"
	"trunkline/proxy/record"
)

// TestLostRecordingsAreCounted: by why, and a recorder that loses them holds nobody up.
func TestLostRecordingsAreCounted(t *testing.T) {
	m := New(Config{})
	dir := filepath.Join(t.TempDir(), "recordings")
	recorder, err := record.New(record.Config{Dir: dir, Trace: m.Recorder()})
	if err != nil {
		t.Fatal(err)
	}
	exchange := func() {
		recorder.Begin(httptest.NewRequest("GET", "/v1/models", nil), "local").End(proxy.RequestInfo{})
	}
	if err := os.RemoveAll(dir); err != nil { // as a disk that refuses
		t.Fatal(err)
	}
	exchange()
	if err := recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	exchange()
	want(t, m, RecordDroppedTotal, map[string]float64{"disk": 1, "closed": 1})
}
