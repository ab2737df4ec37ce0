package record_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"trunkline/proxy/record"
)

// TestRefusedUpgradesReplay: a client that tries a WebSocket first leaves a recording that
// replays without a difference. Without the headers of the attempt it would reach the
// provider.
func TestRefusedUpgradesReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	r := startRecorder(t, record.Config{Dir: dir, Settings: record.Settings{Base: "/v1"}})
	url := startProxy(t, answers("hi"), r)
	attempt, err := http.NewRequest(http.MethodGet, url+"/v1/responses", nil)
	if err != nil {
		t.Fatal(err)
	}
	attempt.Header.Set("Connection", "Upgrade")
	attempt.Header.Set("Upgrade", "websocket")
	resp, err := http.DefaultClient.Do(attempt)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Fatalf("the attempt is answered %d", resp.StatusCode)
	}
	ask(t, url, hello)
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := session(t, files(t, dir)[0])
	report, err := s.Replay(t.Context(), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Exchanges) != 1 || len(report.Differences) != 0 {
		t.Errorf("%d exchanges, differences %v", len(s.Exchanges), report.Differences)
	}
}
