-- KEYS: tree, marks
-- ARGV: id
-- A mark is the server's clock, or one more than the last, so that none comes back.
local now = redis.call('TIME')
local last = redis.call('HGET', KEYS[2], ARGV[1]) or 0
local mark = string.format('%.0f', math.max(now[1] * 1000000 + now[2], last + 1))
redis.call('HSET', KEYS[2], ARGV[1], mark)
redis.call('SADD', KEYS[1], ARGV[1])
return mark
