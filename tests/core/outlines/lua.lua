--- Shops and what they take.
local M = {}

M.limit = 3
M["odd key"] = 4

local low, high = 1, 10
local later
local fixed <const> = 5

-- Not part of it.
---@param amount number
function M.pay(amount, ...)
  local total = amount * M.limit
  local function round(value)
    return math.floor(value)
  end
  local twice = function(value) return value * 2 end
  local options = { trace = true, done = function() end }
  return round(total)
end

function M:open()
  self.closed = false
  self.on_close = function()
    log("closed")
  end
end

M.close = function(self)
  self.closed = true
end

M["close all"] = function() end

function M.desk.drawer:lock() end

local Base = setmetatable({
  name = "base",
  new = function(class) return class end,
}, { __index = M })

if jit then
  function M.fast() return 1 end
else
  function M.fast() return 2 end
end

M.defaults = {
  timeout = 30,
  ["log.level"] = "info",
  window = {
    border = "none",
    on_key = function(key) return key end,
  },
  "first",
  [1] = "second",
}

counter, M.total = 0, 0

do
  local hidden = function() end
end

return {
  setup = function() end,
  version = "1",
}
