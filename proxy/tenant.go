package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// localTenant is whose everything is that comes without a credential.
const localTenant = "local"

// tenantKey separates these hashes from any other use of a credential's hash. It is the
// same in every process, since several share a store.
var tenantKey = []byte("trunkline tenant 1")

// tenant is whose agents and prefixes a request is about: those of its credential, of
// which only a keyed hash is kept. Nothing crosses tenants.
func (s *Server) tenant(r *http.Request) string {
	for _, name := range [...]string{"Authorization", "Api-Key", "X-Api-Key"} {
		if credential := r.Header.Get(name); credential != "" {
			mac := hmac.New(sha256.New, tenantKey)
			mac.Write([]byte(credential))
			return "c-" + hex.EncodeToString(mac.Sum(nil)[:12])
		}
	}
	return localTenant
}
