-- Stores the result of a record in progress; Redis itself forgets it in time. Of two results the first stays.

local owner, fence, kind, content, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local state = state_of(owner, fence)
if state == 'COMPLETED' then
    return 1
end
if state ~= 'IN_PROGRESS' then
    return 0
end
redis.call('HSET', record, 'state', 'COMPLETED', 'kind', kind, 'content', content)
redis.call('HDEL', record, 'lease-until', 'take-over')
redis.call('PEXPIRE', record, ttl)
return 1
