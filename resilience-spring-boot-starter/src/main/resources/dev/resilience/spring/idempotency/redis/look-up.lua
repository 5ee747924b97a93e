-- What an operator may see: operation, caller, state, and how long the record stays so, if it will end by itself.

if not state then
    return {}
end
local left = ''
if state == 'IN_PROGRESS' then
    left = digits(lease_until - now)
elseif state == 'COMPLETED' then
    left = digits(redis.call('PTTL', record))
end
local operation, caller = unpack(redis.call('HMGET', record, 'operation', 'caller'))
return {operation, caller, state, left}
