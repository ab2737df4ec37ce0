-- KEYS: record, blobs
-- ARGV: expected version, record, channel, name, number of drops,
--       ids to drop ..., id and value of each blob to put ...
-- Returns the new version, or nothing when the record has another one.
--
-- The first write is the one that Redis may refuse (memory, persistence); those after
-- it are then taken, so the change is whole.
local version = redis.call('HGET', KEYS[1], 'v') or '0'
if version ~= ARGV[1] then
	return false
end
local now = redis.call('TIME')
local following = string.format('%.0f', math.max(now[1] * 1000000 + now[2], version + 1))
redis.call('HSET', KEYS[1], 'v', following, 'd', ARGV[2])
local puts = 6 + ARGV[5]
for i = 6, puts - 1 do
	redis.call('HDEL', KEYS[2], ARGV[i])
end
for i = puts, #ARGV, 2 do
	redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1])
end
redis.pcall('PUBLISH', ARGV[3], ARGV[4])
return following
