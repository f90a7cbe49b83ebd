-- Colours the difference in a hover. Neovim brings no tree-sitter parser for `diff`, so a fence of that kind is shown in
-- one colour; where a user has installed the parser, nothing is done here.
local M = {}

local namespace = vim.api.nvim_create_namespace('moorline.float')
local started = false

local GROUPS = { ['+'] = 'Added', ['-'] = 'Removed', ['@'] = 'Changed' }

---@type table<integer, {tick: integer, groups: table<integer, string>}> buffer -> row -> highlight group
local known = {}

--- Which rows of a Markdown buffer are lines of a difference, and how each is coloured.
---@param bufnr integer
---@return table<integer, string>
local function groups_of(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if known[bufnr] and known[bufnr].tick == tick then
    return known[bufnr].groups
  end
  local groups = {}
  local fence ---@type string?
  for index, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    if fence then
      if vim.startswith(line, fence) then
        fence = nil
      else
        groups[index - 1] = GROUPS[line:sub(1, 1)]
      end
    else
      fence = line:match('^(```+)diff%s*$')
    end
  end
  known[bufnr] = { tick = tick, groups = groups }
  return groups
end

--- Begins to colour, once.
function M.start()
  if started or vim.treesitter.language.add('diff') then
    return
  end
  started = true
  vim.api.nvim_set_decoration_provider(namespace, {
    on_win = function(_, window, bufnr)
      -- The variable that `vim.lsp.buf.hover()` leaves in its window.
      return vim.w[window]['textDocument/hover'] ~= nil and next(groups_of(bufnr)) ~= nil
    end,
    on_line = function(_, _, bufnr, row)
      local group = groups_of(bufnr)[row]
      if group then
        vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
          end_row = row + 1,
          hl_group = group,
          ephemeral = true,
          priority = 200,
          strict = false,
        })
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = vim.api.nvim_create_augroup('moorline.float', {}),
    callback = function(event)
      known[event.buf] = nil
    end,
  })
end

return M
