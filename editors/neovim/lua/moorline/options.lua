-- What a user can set through `require('moorline').setup{ ... }`, with the defaults that hold without it.
local M = {}

---@class moorline.Options
---@field cmd string[]? how to start the server; default `{ 'moorline', 'lsp' }`
---@field settings table? what the server gets as its `moorline` settings
---@field enable boolean start the server for every file in a repository (default true)
---@field codelens boolean show and refresh code lenses (default true)
---@field checktime boolean reload unmodified buffers when the server saw their files change (default true)
---@field diagnostics vim.diagnostic.Opts|false? merged over how our own diagnostics are shown; false leaves all to
---your `vim.diagnostic.config`
---@field kinds string[] kinds offered for recording, most used first; any that the server knows can be typed
---@field icon string shown before the count in the statusline
M.defaults = {
  enable = true,
  codelens = true,
  checktime = true,
  diagnostics = {},
  kinds = { 'decision', 'note', 'claim', 'finding', 'lesson', 'purpose' },
  icon = '⚓',
}

---@type moorline.Options
M.current = vim.deepcopy(M.defaults)

--- Takes the user's options over the defaults.
---@param given table?
---@return moorline.Options
function M.merge(given)
  local merged = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), given or {})
  -- A list is replaced as a whole, not merged item by item.
  merged.kinds = given and given.kinds or M.defaults.kinds
  M.current = merged
  return merged
end

return M
