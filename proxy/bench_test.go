package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"trunkline/proxy"
)

// BenchmarkRelay compares three ways to one provider: straight, through the reverse proxy of
// the standard library, and through this proxy, for an anonymous client. Compare the lines
// of one run with each other.
func BenchmarkRelay(b *testing.B) {
	small := []byte(`{"model":"m1","messages":[{"role":"user","content":"` + strings.Repeat("word ", 400) + `"}]}`)
	large := []byte(`{"model":"m1","messages":[{"role":"user","content":"` + strings.Repeat("word ", 200_000) + `"}]}`)
	var events []string
	for range 200 {
		events = append(events, delta(`{"content":"word "}`, ""))
	}
	events = append(events, delta(`{}`, "stop"), done)
	for _, load := range []struct {
		name     string
		body     []byte
		provider http.HandlerFunc
	}{
		{"2KB", small, reply(200, "application/json", saidJSON("yes"))},
		{"1MB", large, reply(200, "application/json", saidJSON("yes"))},
		{"1MBanswer", small, reply(200, "application/json", saidJSON(strings.Repeat("word ", 200_000)))},
		{"200events", small, stream(events...)},
	} {
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			load.provider(w, r)
		}))
		base, err := url.Parse(provider.URL)
		if err != nil {
			b.Fatal(err)
		}
		for _, way := range []struct {
			name    string
			handler http.Handler
		}{
			{"direct", nil},
			{"reverseproxy", duplex(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) }, Transport: &http.Transport{DisableCompression: true}})},
			{"proxy", newHandler(b, proxy.Config{Upstreams: []string{provider.URL}})},
		} {
			b.Run(fmt.Sprintf("%s/%s", load.name, way.name), func(b *testing.B) {
				to := provider.URL
				if way.handler != nil {
					server := httptest.NewServer(way.handler)
					defer server.Close()
					to = server.URL
				}
				transport := &http.Transport{DisableCompression: true}
				defer transport.CloseIdleConnections()
				client := &http.Client{Transport: transport}
				b.ReportAllocs()
				for b.Loop() {
					resp, err := client.Post(to+chat, "application/json", bytes.NewReader(load.body))
					if err != nil {
						b.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
						b.Fatal(resp.Status, err)
					}
					resp.Body.Close()
				}
			})
		}
		provider.Close()
	}
}

// duplex keeps the reverse proxy from losing an answer that comes before the end of the
// request's body was read.
func duplex(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		h.ServeHTTP(w, r)
	})
}
