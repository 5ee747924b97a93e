-- Says what became of an abandoned record. One that was executed is refused from now on, for ever.

local executed = ARGV[1]

if state ~= 'ABANDONED' then
    return 0
end
if executed == 'true' then
    redis.call('HSET', record, 'state', 'EXECUTED')
    redis.call('HDEL', record, 'lease-until', 'take-over')
    redis.call('PERSIST', record)
else
    redis.call('DEL', record)
end
return 1
