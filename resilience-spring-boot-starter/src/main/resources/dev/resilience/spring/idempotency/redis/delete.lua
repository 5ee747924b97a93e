-- Removes a record, unless its owner runs.

if state == 'IN_PROGRESS' then
    return 0
end
return redis.call('DEL', record)
