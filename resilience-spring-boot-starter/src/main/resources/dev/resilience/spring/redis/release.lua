-- Removes a record in progress.

local owner = ARGV[1]

if not belongs_to(owner) then
    return 0
end
return redis.call('DEL', record)
