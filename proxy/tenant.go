package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// LocalTenant is whose everything is that comes without a credential.
const LocalTenant = "local"

// tenantSalt separates these hashes from any other use of a credential's hash. It is the
// same in every process, since several share a store.
var tenantSalt = []byte("trunkline tenant 1")

// tenant is whose agents and prefixes a request is about: its key's tenant where keys are
// asked for, else that of its credential, of which only a keyed hash is kept. Nothing
// crosses tenants.
func (s *Server) tenant(r *http.Request) string {
	if a, ok := r.Context().Value(admissionKey{}).(admission); ok {
		return a.tenant
	}
	if _, value := credential(r.Header); value != "" {
		mac := hmac.New(sha256.New, tenantSalt)
		mac.Write([]byte(value))
		return "c-" + hex.EncodeToString(mac.Sum(nil)[:12])
	}
	return LocalTenant
}
