-- Stands before the scripts that work on one record. A record is a hash:
--
--   state                 IN_PROGRESS, COMPLETED or EXECUTED
--   operation, caller     the method's full name, the hash of who called it
--   fingerprint           the hash of the arguments; empty where they are not compared
--   fence                 grows with every claim
--   owner                 the token of the call that has, or had, the record
--   lease-until           the end of the lease, in milliseconds     \ while in progress
--   take-over             whether the record may be taken over      /
--   kind, content         the result                                 once completed
--
-- One that was released keeps nothing but owner and fence, for a while.
--
-- The server's clock is the only one; all times are in milliseconds since 1970. Of several writes HSET is the first: it
-- alone is refused when the server is out of memory, and then nothing has changed.
--
-- A driver that has lost its connection sends a command again, and a command may reach the server long after its sender
-- has given up. So each script can run twice, and late: what is done to a record names the owner and the fence.

local record = KEYS[1]

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

-- A whole number in full. Lua by itself would write 1.79e+15.
local function digits(number)
    return string.format('%.0f', number)
end

-- The state of the record if this owner has, or had, it under this fence.
local function state_of(owner, fence)
    local state, last_owner, last_fence = unpack(redis.call('HMGET', record, 'state', 'owner', 'fence'))
    return owner == last_owner and fence == last_fence and state
end

-- An abandoned record that nobody may take over is kept for ever: it is the only proof that the call may have run.
local function expire_after_lease(lease, take_over, grace)
    if take_over == 'true' then
        redis.call('PEXPIRE', record, digits(lease + grace))
    else
        redis.call('PERSIST', record)
    end
end

