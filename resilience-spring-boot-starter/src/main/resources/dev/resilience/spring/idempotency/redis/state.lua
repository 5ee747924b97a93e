-- Stands before the scripts of operators, after record.lua.

local state, lease_until = unpack(redis.call('HMGET', record, 'state', 'lease-until'))
if state == 'IN_PROGRESS' and lease_until - now <= 0 then
    state = 'ABANDONED'
end

