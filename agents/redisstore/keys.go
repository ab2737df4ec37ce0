package redisstore

import "trunkline/agents"

const (
	schemaKey  = "trunkline:schema"
	checkedKey = "trunkline:checked"
	rootsKey   = "trunkline:roots"
	changes    = "trunkline:changes" // a channel
)

// The braces make the name, which holds none, the hash tag: the keys of one agent share a
// cluster slot.

func recordKey(key agents.Key) string { return "trunkline:{" + key.Name() + "}:record" }
func blobsKey(key agents.Key) string  { return "trunkline:{" + key.Name() + "}:blobs" }
func treeKey(root agents.Key) string  { return "trunkline:{" + root.Name() + "}:tree" }
func marksKey(root agents.Key) string { return "trunkline:{" + root.Name() + "}:marks" }
