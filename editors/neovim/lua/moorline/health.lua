-- `:checkhealth moorline`: whether the command is found, the server runs, and it serves this buffer.
local M = {}

local health = vim.health

--- The buffer a user was in before `:checkhealth` opened its own.
---@return integer
local function buffer_before()
  local alternate = vim.fn.bufnr('#')
  return alternate > 0 and alternate or vim.api.nvim_get_current_buf()
end

function M.check()
  health.start('Moorline')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is needed', { 'Install a newer Neovim' })
    return
  end

  local config = vim.lsp.config.moorline
  local cmd = config and config.cmd
  if type(cmd) == 'table' then
    local program = cmd[1]
    if vim.fn.executable(program) == 1 then
      local run = vim.system({ program, '--version' }, { text = true, timeout = 10000 }):wait()
      local version = vim.trim(run.stdout or '')
      health.ok(('`%s` found: %s %s'):format(program, vim.fn.exepath(program), cmd[2] == 'lsp' and version or ''))
    else
      health.error(('`%s` is not found'):format(program), {
        'Install it: `pipx install moorline` or `uv tool install moorline`, or into the virtual environment that '
          .. 'Neovim is started from: `pip install moorline`',
        "Or name it: `require('moorline').setup({ cmd = { '/path/to/moorline', 'lsp' } })`",
      })
    end
  elseif not config then
    health.error('`lsp/moorline.lua` is not on the runtimepath', { 'Install the plugin, see |moorline-install|' })
  end

  if vim.lsp.is_enabled('moorline') then
    health.ok('enabled')
  else
    health.warn('not enabled', { "Call `vim.lsp.enable('moorline')` or `require('moorline').setup()`" })
  end

  local clients = vim.lsp.get_clients({ name = 'moorline' })
  if #clients == 0 then
    health.warn('no server runs', {
      'Open a file below a folder with `.moorline/` or `.git`',
      '`:Moorline log` shows why a server did not start',
    })
  end
  for _, client in ipairs(clients) do
    local info = client.server_info or {}
    health.ok(
      ('server %s %s for %s, %d buffers, positions in %s'):format(
        client.id,
        info.version or '',
        client.root_dir or '?',
        vim.tbl_count(client.attached_buffers),
        client.offset_encoding
      )
    )
    for _, method in ipairs({ 'textDocument/hover', 'textDocument/codeLens', 'textDocument/codeAction' }) do
      if not client:supports_method(method) then
        health.warn(('the server does not answer `%s`'):format(method), { 'Is it turned off in its settings?' })
      end
    end
    local last = require('moorline.surface').last(client.id)
    if last then
      health.info(('stale memories in %s: %d'):format(last.root, last.stale))
    end
  end

  local bufnr = buffer_before()
  if #clients > 0 and #vim.lsp.get_clients({ name = 'moorline', bufnr = bufnr }) == 0 then
    health.info(('the buffer %s is not served'):format(vim.api.nvim_buf_get_name(bufnr)))
  end
end

return M
