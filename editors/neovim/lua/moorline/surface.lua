-- What stays on the screen by itself: code lenses, how diagnostics look, the count of stale memories, an open
-- quickfix list of ours. Asks the server again whenever it says that something changed.
local options = require('moorline.options')
local protocol = require('moorline.protocol')

local M = {}

---@type table<integer, {root: string, revision: integer?, stale: integer}> client id -> what it said last
local reported = {}
---@type table<integer, 'asked'|'again'> buffer -> whether a lens request is under way, and whether to ask once more
local lens_requests = {}

--- Draws lenses at the ends of their lines. Neovim 0.11's own drawing lets a diagnostic come before the lens or after it
--- as it happens; a lens is short and a diagnostic long, so the lens comes first.
---@param lenses lsp.CodeLens[]
---@param bufnr integer
---@param client_id integer
local function draw_lenses(lenses, bufnr, client_id)
  -- The namespace that `vim.lsp.codelens.clear()` empties.
  local namespace = vim.api.nvim_create_namespace('nvim.lsp.codelens:' .. client_id)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local by_line = {} ---@type table<integer, [string, string][]>
  for _, lens in ipairs(lenses) do
    local line = lens.range.start.line
    local title = ((lens.command or {}).title or ''):gsub('%s+', ' ')
    local chunks = by_line[line] or {}
    by_line[line] = chunks
    if #chunks > 0 then
      chunks[#chunks + 1] = { ' | ', 'LspCodeLensSeparator' }
    end
    chunks[#chunks + 1] = { title, 'LspCodeLens' }
  end
  local count = vim.api.nvim_buf_line_count(bufnr)
  for line, chunks in pairs(by_line) do
    if line < count then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, { virt_text = chunks, hl_mode = 'combine', priority = 1 })
    end
  end
end

--- Asks for the lenses of one buffer and shows them. A request made while one is under way is not lost.
---@param client vim.lsp.Client
---@param bufnr integer
local function refresh_buffer_lenses(client, bufnr)
  if not options.current.codelens or not client:supports_method('textDocument/codeLens') then
    return
  end
  if vim.lsp.codelens.enable then
    -- Neovim 0.12 keeps enabled lenses up to date itself.
    return
  end
  if lens_requests[bufnr] then
    lens_requests[bufnr] = 'again'
    return
  end
  lens_requests[bufnr] = 'asked'
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local sent = client:request('textDocument/codeLens', params, function(err, result)
    local again = lens_requests[bufnr] == 'again'
    lens_requests[bufnr] = nil
    if not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    end
    if not err then
      vim.lsp.codelens.save(result, bufnr, client.id)
      draw_lenses(result or {}, bufnr, client.id)
    end
    if again and not client:is_stopped() then
      refresh_buffer_lenses(client, bufnr)
    end
  end, bufnr)
  if not sent then
    lens_requests[bufnr] = nil
  end
end

--- Asks for the lenses of every buffer that a client serves.
---@param client_id integer
function M.refresh_lenses(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client then
    return
  end
  if vim.lsp.codelens.enable then
    local refresh = vim.lsp.handlers['workspace/codeLens/refresh']
    if refresh then
      refresh(nil, nil, { method = 'workspace/codeLens/refresh', client_id = client_id })
    end
    return
  end
  for _, bufnr in ipairs(protocol.buffers(client_id)) do
    refresh_buffer_lenses(client, bufnr)
  end
end

--- The namespaces that a client's diagnostics come in: pushed and pulled.
---@param client_id integer
---@return integer[]
local function namespaces(client_id)
  return { vim.lsp.diagnostic.get_namespace(client_id, false), vim.lsp.diagnostic.get_namespace(client_id, true) }
end

--- Shows our diagnostics as they are typed and as text beside the code; a fresh one (a Hint) only as a sign. What the
--- user set for all diagnostics stays, and `options.diagnostics` goes over it.
---@param client vim.lsp.Client
local function show_diagnostics(client)
  local wanted = options.current.diagnostics
  if wanted == false then
    return
  end
  local loud = { severity = { min = vim.diagnostic.severity.INFO } }
  local global = vim.diagnostic.config() or {}
  local shown = { update_in_insert = true, underline = loud }
  for _, style in ipairs({ 'virtual_text', 'virtual_lines' }) do
    local value = global[style]
    if value == true then
      shown[style] = loud
    elseif type(value) == 'table' then
      shown[style] = vim.tbl_extend('keep', value, loud)
    end
  end
  if not global.virtual_text and not global.virtual_lines then
    shown.virtual_text = loud
  end
  if global.signs == true then
    shown.signs = { text = { [vim.diagnostic.severity.HINT] = options.current.icon } }
  end
  for _, namespace in ipairs(namespaces(client.id)) do
    vim.diagnostic.config(vim.tbl_extend('force', shown, wanted or {}), namespace)
  end
end

--- Counts what is stale in a buffer into `b:moorline_stale`: the diagnostics of ours that are louder than a Hint.
---@param client_id integer
---@param bufnr integer
local function count_buffer(client_id, bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local count = 0
  for _, namespace in ipairs(namespaces(client_id)) do
    count = count
      + #vim.diagnostic.get(bufnr, {
        namespace = namespace,
        severity = { min = vim.diagnostic.severity.WARN },
      })
  end
  if vim.b[bufnr].moorline_stale ~= count then
    vim.b[bufnr].moorline_stale = count
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Makes Neovim look at the files of unmodified buffers again: a `git switch` in another terminal gives it no event.
---@param client_id integer
local function reload_unmodified(client_id)
  if not options.current.checktime or vim.fn.getcmdwintype() ~= '' then
    return
  end
  for _, bufnr in ipairs(protocol.buffers(client_id)) do
    local name = vim.api.nvim_buf_get_name(bufnr)
    -- A file that is not there keeps its buffer: reloading would only complain.
    if not vim.bo[bufnr].modified and vim.uv.fs_stat(name) then
      vim.cmd({ cmd = 'checktime', args = { tostring(bufnr) }, mods = { emsg_silent = true } })
    end
  end
end

--- Takes what the server says after anything changed.
---@param client_id integer
---@param params {root: string?, revision: integer?, stale: integer?}
function M.changed(client_id, params)
  reported[client_id] = { root = params.root or '', revision = params.revision, stale = tonumber(params.stale) or 0 }
  local total = 0
  for id, last in pairs(reported) do
    total = total + (vim.lsp.get_client_by_id(id) and last.stale or 0)
  end
  vim.g.moorline_stale = total
  M.refresh_lenses(client_id)
  reload_unmodified(client_id)
  require('moorline.view').refresh_quickfix(client_id)
  vim.api.nvim_exec_autocmds('User', { pattern = 'MoorlineChanged', modeline = false, data = params })
  vim.cmd.redrawstatus({ bang = true })
end

--- What the server of a buffer said last, or nil.
---@param client_id integer
---@return {root: string, revision: integer?, stale: integer}?
function M.last(client_id)
  return reported[client_id]
end

--- Sets a buffer up once the server serves it.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  show_diagnostics(client)
  require('moorline.float').start()
  local group = vim.api.nvim_create_augroup('moorline.buffer.' .. bufnr, { clear = true })
  if options.current.codelens then
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = bufnr })
    end
    vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
      group = group,
      buffer = bufnr,
      desc = 'Refresh code lenses',
      callback = function()
        refresh_buffer_lenses(client, bufnr)
      end,
    })
  end
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    buffer = bufnr,
    desc = 'Count stale memories into b:moorline_stale, and show lenses that say the same',
    callback = function()
      count_buffer(client.id, bufnr)
      -- While text is typed the server sends diagnostics that differ, and nothing else.
      refresh_buffer_lenses(client, bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.data.client_id == client.id then
        lens_requests[bufnr] = nil
        vim.b[bufnr].moorline_stale = nil
        vim.api.nvim_clear_autocmds({ group = group })
      end
    end,
  })
  vim.b[bufnr].moorline_stale = vim.b[bufnr].moorline_stale or 0
  refresh_buffer_lenses(client, bufnr)
end

return M
