package redisstore

import (
	"net/url"
	"strings"

	"trunkline/agents"
)

const (
	schemaKey  = "trunkline:schema"
	checkedKey = "trunkline:checked"
	rootsKey   = "trunkline:roots"
	changes    = "trunkline:changes" // a channel
)

// name is the escaped form of a key: exactly one "/", no braces.
func name(key agents.Key) string {
	return url.PathEscape(key.Tenant) + "/" + url.PathEscape(key.ID)
}

// parseName undoes name.
func parseName(name string) (agents.Key, error) {
	tenant, id, _ := strings.Cut(name, "/")
	var key agents.Key
	var err error
	if key.Tenant, err = url.PathUnescape(tenant); err != nil {
		return agents.Key{}, err
	}
	key.ID, err = url.PathUnescape(id)
	return key, err
}

// The braces make the name the hash tag: the keys of one agent share a cluster slot.

func recordKey(key agents.Key) string { return "trunkline:{" + name(key) + "}:record" }
func blobsKey(key agents.Key) string  { return "trunkline:{" + name(key) + "}:blobs" }
func treeKey(root agents.Key) string  { return "trunkline:{" + name(root) + "}:tree" }
