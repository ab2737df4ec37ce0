-- KEYS: record, blobs
-- ARGV: expected version, channel, name
-- Returns 1 when the record is gone, or nothing when it has another version.
local version = redis.call('HGET', KEYS[1], 'v')
if not version then
	return 1
end
if version ~= ARGV[1] then
	return false
end
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.pcall('PUBLISH', ARGV[2], ARGV[3])
return 1
