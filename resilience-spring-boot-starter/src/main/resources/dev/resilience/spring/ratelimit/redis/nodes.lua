-- Notes a process that uses a limit, after record.lua, and answers how many have been noted in the last ARGV[2] milliseconds.

redis.call('ZADD', KEYS[1], digits(now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', digits(now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {digits(redis.call('ZCARD', KEYS[1]))}
