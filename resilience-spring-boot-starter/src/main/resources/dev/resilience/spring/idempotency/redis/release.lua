-- Frees a record in progress. That it was released is known for a while, so that a claim of this owner that comes late
-- does not take the key for a call that is over.

local owner, fence, keep = ARGV[1], ARGV[2], ARGV[3]

if state_of(owner, fence) ~= 'IN_PROGRESS' then
    return 0
end
redis.call('HDEL', record, 'state', 'operation', 'caller', 'fingerprint', 'lease-until', 'take-over')
redis.call('PEXPIRE', record, keep)
return 1
