-- One page of the keys that match a pattern: the next cursor, then the keys. A script, because a driver may be told to
-- send its own reads to a replica, which may be behind; and because KEYS[1], the beginning that all keys of the pattern
-- have, leads to the right node of a cluster.

local cursor, pattern, count = ARGV[1], ARGV[2], ARGV[3]

local page = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count)
return {page[1], unpack(page[2])}
