-- What the tests ask of a running Neovim: what its own functions answer, as a user's other plugins would see it.
local M = {}

--- The diagnostics of the current buffer that come from Moorline, in text order.
function M.diagnostics()
  local found = vim.tbl_filter(function(diagnostic)
    return diagnostic.source == 'moorline'
  end, vim.diagnostic.get(0))
  table.sort(found, function(one, other)
    return one.lnum < other.lnum
  end)
  return vim.tbl_map(function(diagnostic)
    return {
      code = diagnostic.code,
      severity = vim.diagnostic.severity[diagnostic.severity],
      message = diagnostic.message,
      text = vim.api.nvim_buf_get_text(
        0,
        diagnostic.lnum,
        diagnostic.col,
        diagnostic.end_lnum or diagnostic.lnum,
        diagnostic.end_col or diagnostic.col,
        {}
      )[1],
    }
  end, found)
end

--- Their codes alone, joined: "changed fresh".
function M.codes()
  return table.concat(
    vim.tbl_map(function(diagnostic)
      return diagnostic.code
    end, M.diagnostics()),
    ' '
  )
end

--- The titles of the code lenses of the current buffer without the mark before them, joined.
function M.lenses()
  local titles = vim.tbl_map(function(lens)
    return ((lens.command and lens.command.title or ''):gsub('^[^%w]+', ''))
  end, vim.lsp.codelens.get(vim.api.nvim_get_current_buf()))
  table.sort(titles)
  return table.concat(titles, ' | ')
end

--- The text of the floating window, or an empty string.
function M.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      return table.concat(lines, '\n')
    end
  end
  return ''
end

--- The quickfix list: title and lines.
function M.quickfix()
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  local lines = vim.tbl_map(function(item)
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ':t')
    return ('%s:%d %s %s'):format(name, item.lnum, item.type, item.text)
  end, list.items)
  return { title = list.title, lines = lines }
end

--- The text of the current buffer.
function M.text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

--- Whether the server serves the current buffer.
function M.served()
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'moorline' })[1]
  return client ~= nil and client.initialized == true
end

--- The process of the server that serves the current buffer: the only child of Neovim's that is one.
function M.server_process()
  for _, child in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    return child
  end
end

function M.modified()
  return vim.bo.modified
end

function M.mode()
  return vim.api.nvim_get_mode().mode
end

function M.statusline()
  return require('moorline').statusline()
end

return M
