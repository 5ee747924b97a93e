-- Takes the record, or tells why it cannot be had.

local owner, fingerprint, lease, take_over = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local operation, caller, grace = ARGV[5], ARGV[6], ARGV[7]

local found = redis.call('HMGET', record, 'state', 'fingerprint', 'fence', 'owner', 'lease-until')
local state, fingerprint_before, fence_before, owner_before, lease_until = unpack(found)

local function acquire(taken_over)
    -- Grows even where the record was gone in the meantime, and even if the clock was set back while it was not.
    local fence = micros
    if fence_before then
        fence = math.max(fence, fence_before + 1)
    end
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

if not state then
    return acquire('false')
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
    -- The same call again: the connection broke before it had its answer, and the driver sent the command once more.
    return acquire('false')
end
if lease_until - now > 0 then
    return {'IN_PROGRESS', digits(lease_until - now)}
end
if take_over == 'true' then
    return acquire('true')
end
return {'ABANDONED'}
