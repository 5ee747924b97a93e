-- Stores the result of a record in progress; Redis itself forgets it in time.

local owner, kind, content, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if not belongs_to(owner) then
    return 0
end
redis.call('HSET', record, 'state', 'COMPLETED', 'kind', kind, 'content', content)
redis.call('HDEL', record, 'owner', 'lease-until', 'take-over')
redis.call('PEXPIRE', record, ttl)
return 1
