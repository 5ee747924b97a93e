-- Extends the lease of a record in progress.

local owner, fence, lease, grace = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

if state_of(owner, fence) ~= 'IN_PROGRESS' then
    return 0
end
redis.call('HSET', record, 'lease-until', digits(now + lease))
expire_after_lease(lease, redis.call('HGET', record, 'take-over'), grace)
return 1
