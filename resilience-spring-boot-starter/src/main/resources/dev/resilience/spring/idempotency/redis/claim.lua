-- Takes the record, or tells why it cannot be had.
--
-- A take-over needs two claims, the second of which names the fence and the time that the first was answered with. If the
-- first reached the server late, because the connection was away for longer than the lease, renewals of the owner may
-- stand in the queue behind it: they are run before the second claim. And if the sender has given up, no second claim comes.

local owner, fingerprint, lease, take_over = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local operation, caller, grace = ARGV[5], ARGV[6], ARGV[7]
local overdue_fence, overdue_since = ARGV[8], ARGV[9]

-- A second claim that is later than this, in milliseconds, is a first one.
local LATE = 1000

local found = redis.call('HMGET', record, 'state', 'fingerprint', 'fence', 'owner', 'lease-until')
local state, fingerprint_before, fence_before, owner_before, lease_until = unpack(found)

local function acquire(fence, taken_over)
    redis.call('HSET', record,
        'state', 'IN_PROGRESS',
        'operation', operation,
        'caller', caller,
        'fingerprint', fingerprint,
        'fence', digits(fence),
        'owner', owner,
        'lease-until', digits(now + lease),
        'take-over', take_over)
    expire_after_lease(lease, take_over, grace)
    return {'ACQUIRED', digits(fence), taken_over}
end

-- Grows even where the record was gone in the meantime, and even if the clock was set back while it was not.
local function next_fence()
    if fence_before then
        return math.max(micros, fence_before + 1)
    end
    return micros
end

if not state and owner == owner_before then
    -- This claim is older than the release: its sender is not there any more.
    return {'IN_PROGRESS', '1'}
end
if not state then
    return acquire(next_fence(), 'false')
end
-- fingerprints of two versions, as in '2:0f…', are not compared
if fingerprint ~= '' and fingerprint_before ~= '' and fingerprint ~= fingerprint_before
    and string.match(fingerprint, '^[^:]*:') == string.match(fingerprint_before, '^[^:]*:') then
    return {'KEY_REUSED'}
end
if state == 'COMPLETED' then
    return {'COMPLETED', unpack(redis.call('HMGET', record, 'kind', 'content'))}
end
if state == 'EXECUTED' then
    return {'EXECUTED'}
end
if owner == owner_before then
    -- The same call again: the answer to its first claim was lost.
    return acquire(tonumber(fence_before), 'false')
end
if lease_until - now > 0 then
    return {'IN_PROGRESS', digits(lease_until - now)}
end
if take_over ~= 'true' then
    return {'ABANDONED'}
end
if overdue_fence == fence_before and now - overdue_since <= LATE then
    return acquire(next_fence(), 'true')
end
return {'OVERDUE', fence_before, digits(now)}
