-- Extends the lease of a record in progress.

local owner, lease, grace = ARGV[1], ARGV[2], ARGV[3]

if not belongs_to(owner) then
    return 0
end
redis.call('HSET', record, 'lease-until', digits(now + lease))
expire_after_lease(lease, redis.call('HGET', record, 'take-over'), grace)
return 1
