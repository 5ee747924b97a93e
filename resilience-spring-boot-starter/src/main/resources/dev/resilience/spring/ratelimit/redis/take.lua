-- Takes permits, after record.lua: KEYS[1] holds the moment, in microseconds, at which all permits are back.
-- Answers how many were taken, and how long it was until then, in microseconds.

local wanted, ahead, debt = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local interval, burst, longest, max_wait = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

local back = tonumber(redis.call('GET', KEYS[1]) or 0)
local backlog = math.min(math.max(back - micros, 0), longest) + math.ceil(debt * interval)

local function usable(wait)
    return math.max(0, math.floor((burst + wait - backlog) / interval + 0.000001))
end

local taken = math.max(math.min(wanted, usable(max_wait)), math.min(wanted + ahead, usable(0)))
if taken + debt > 0 then
    local left = backlog + math.ceil(taken * interval - 0.000001)
    redis.call('SET', KEYS[1], digits(micros + left), 'PX', digits(math.ceil(left / 1000) + 1))
end
return {digits(taken), digits(backlog)}
