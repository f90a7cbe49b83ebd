-- Loaded at start-up by every way of installing a plugin. It defines the command and waits for the server to
-- attach; it starts nothing by itself: `vim.lsp.enable('moorline')` or `require('moorline').setup()` does.
if vim.g.loaded_moorline then
  return
end
vim.g.loaded_moorline = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('Moorline needs Neovim 0.11 or later', vim.log.levels.WARN)
  return
end

vim.api.nvim_create_user_command('Moorline', function(args)
  require('moorline.command').run(args)
end, {
  nargs = '*',
  bang = true,
  range = true,
  desc = 'Decisions moored to the code: record, clear, list, stale, ...',
  complete = function(lead, line)
    return require('moorline.command').complete(lead, line)
  end,
})

local group = vim.api.nvim_create_augroup('moorline', {})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Show code lenses and the count of stale memories',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'moorline' then
      require('moorline.surface').attach(client, event.buf)
    end
  end,
})

-- `vim.lsp.enable` starts servers on FileType alone, which never comes for a file whose type Neovim does not know.
vim.api.nvim_create_autocmd('BufReadPost', {
  group = group,
  desc = 'Attach to files without a filetype too',
  callback = function(event)
    vim.schedule(function()
      local valid = vim.api.nvim_buf_is_valid(event.buf)
      if valid and vim.bo[event.buf].filetype == '' and vim.lsp.is_enabled('moorline') then
        require('moorline.protocol').start(event.buf)
      end
    end)
  end,
})
