-- What other Lua code may call. `vim.lsp.enable('moorline')` alone is enough to use Moorline; `setup` is for options.
local M = {}

--- Takes options and starts the server for every file in a repository.
---@param given moorline.Options? see |moorline-options|
function M.setup(given)
  vim.validate('options', given, 'table', true)
  local options = require('moorline.options').merge(given)
  local config = {}
  if options.cmd then
    config.cmd = options.cmd
  end
  if options.settings then
    config.settings = { moorline = options.settings }
  end
  vim.lsp.config('moorline', config)
  if options.enable then
    vim.lsp.enable('moorline')
  end
end

--- For a statusline: empty where nothing is stale or the server does not serve the buffer, else the icon, how many
--- memories are stale in this buffer, and how many in the workspace: "⚓ 1/3 stale".
---@param bufnr integer? default the current one
---@return string
function M.statusline(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local client = require('moorline.protocol').client(bufnr)
  if not client then
    return ''
  end
  local here = vim.b[bufnr].moorline_stale or 0
  local last = require('moorline.surface').last(client.id)
  local all = last and last.stale or here
  if here == 0 and all == 0 then
    return ''
  end
  return ('%s %d/%d stale'):format(require('moorline.options').current.icon, here, math.max(here, all))
end

--- Tells the server that a file or folder was renamed, for a file explorer's own event.
---@param old string absolute path before
---@param new string absolute path now
function M.renamed(old, new)
  require('moorline.protocol').renamed(old, new)
end

--- Runs a subcommand as `:Moorline` does: `require('moorline').run('record')`.
---@param ... string
function M.run(...)
  vim.cmd.Moorline({ args = { ... } })
end

return M
