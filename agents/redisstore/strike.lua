-- KEYS: tree, marks
-- ARGV: id, its mark (0: it was enrolled without one)
-- Returns 1 when the id is not in the tree after this, 0 when it was enrolled since.
if (redis.call('HGET', KEYS[2], ARGV[1]) or '0') == ARGV[2] then
	redis.call('SREM', KEYS[1], ARGV[1])
	redis.call('HDEL', KEYS[2], ARGV[1])
end
return 1 - redis.call('SISMEMBER', KEYS[1], ARGV[1])
