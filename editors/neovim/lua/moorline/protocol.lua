-- What passes between Neovim and the server beyond the standard: which client serves a buffer, our commands and
-- their errors, and what the server sends by itself. Knows nothing of how things look.
local M = {}

local NAME = 'moorline'

---@type lsp.ClientCapabilities
M.capabilities = {
  workspace = {
    codeLens = { refreshSupport = true },
    fileOperations = { didRename = true },
  },
}

--- Says something to the user, with our name before it.
---@param message string
---@param level integer? one of `vim.log.levels`
function M.notify(message, level)
  vim.notify('Moorline: ' .. message, level or vim.log.levels.INFO)
end

--- The workspace of a buffer: the nearest folder with a `.moorline/`, else the git root. Without one, `on_dir` is
--- not called and no server starts.
---@param bufnr integer
---@param on_dir fun(root: string)
function M.root_dir(bufnr, on_dir)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or name:match('^%a[%w+.-]+://') then
    return
  end
  local root = vim.fs.root(bufnr, '.moorline') or vim.fs.root(bufnr, '.git')
  if root then
    on_dir(root)
  end
end

--- Starts the server for a buffer, or attaches it to the one that runs for its root.
---@param bufnr integer
function M.start(bufnr)
  local config = vim.deepcopy(vim.lsp.config[NAME])
  if not config or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local function go(root)
    config.root_dir = root
    vim.lsp.start(config, { bufnr = bufnr, reuse_client = config.reuse_client })
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(bufnr, go)
  elseif config.root_dir then
    go(config.root_dir)
  end
end

--- The client that serves a buffer; with `anywhere`, any running one where the buffer has none.
---@param bufnr integer
---@param anywhere boolean?
---@return vim.lsp.Client?
function M.client(bufnr, anywhere)
  local clients = vim.lsp.get_clients({ name = NAME, bufnr = bufnr })
  if #clients == 0 and anywhere then
    clients = vim.lsp.get_clients({ name = NAME })
  end
  return clients[1]
end

--- Buffers that a client serves.
---@param client_id integer
---@return integer[]
function M.buffers(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  return vim.tbl_filter(vim.api.nvim_buf_is_loaded, client and vim.tbl_keys(client.attached_buffers) or {})
end

--- Where the cursor stands, as the server counts: the buffer's URI and a position in the client's encoding.
---@param client vim.lsp.Client
---@param window integer? default the current one
---@return {uri: string, position: lsp.Position}
function M.here(client, window)
  local params = vim.lsp.util.make_position_params(window or 0, client.offset_encoding)
  return { uri = params.textDocument.uri, position = params.position }
end

--- Lines `first` to `last` (from 1, inclusive) of a buffer as a range in the client's encoding.
---@param client vim.lsp.Client
---@param bufnr integer
---@param first integer
---@param last integer
---@return lsp.Range
function M.line_range(client, bufnr, first, last)
  local text = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] or ''
  return {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last - 1, character = vim.str_utfindex(text, client.offset_encoding) },
  }
end

--- A JSON answer without its nulls, so that an absent value is nil everywhere.
---@param value any
---@return any
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) ~= 'table' then
    return value
  end
  local copy = {}
  for key, item in pairs(value) do
    copy[key] = without_null(item)
  end
  return copy
end

--- Parameters of `workspace/executeCommand` with one object.
---@param command string
---@param argument table
---@return lsp.ExecuteCommandParams
local function command_params(command, argument)
  return { command = command, arguments = { next(argument) and argument or vim.empty_dict() } }
end

--- Runs one of the server's commands. An error is shown as the server said it and `on_result` is not called.
---@param client vim.lsp.Client
---@param command string
---@param argument table
---@param on_result fun(result: table)?
function M.execute(client, command, argument, on_result)
  client:request('workspace/executeCommand', command_params(command, argument), function(err, result)
    if err then
      M.notify(err.message, vim.log.levels.ERROR)
    elseif on_result then
      on_result(without_null(result) or {})
    end
  end)
end

--- The same, waiting at most `timeout` milliseconds; nil when nothing came. For completion only.
---@param client vim.lsp.Client
---@param command string
---@param argument table
---@param timeout integer
---@return table?
function M.execute_sync(client, command, argument, timeout)
  local answer = client:request_sync('workspace/executeCommand', command_params(command, argument), timeout)
  return answer and without_null(answer.result)
end

--- Stops every server of ours and starts it again for the buffers that it served.
---@param on_done fun()?
function M.restart(on_done)
  local clients = vim.lsp.get_clients({ name = NAME })
  local buffers = {}
  for _, client in ipairs(clients) do
    vim.list_extend(buffers, M.buffers(client.id))
    client:stop()
  end
  local waited = 0
  local function again()
    local stopped = vim.iter(clients):all(function(client)
      return client:is_stopped()
    end)
    if not stopped and waited < 5000 then
      waited = waited + 50
      if waited == 3000 then
        for _, client in ipairs(clients) do
          client:stop(true)
        end
      end
      return vim.defer_fn(again, 50)
    end
    if #buffers == 0 then
      buffers = { vim.api.nvim_get_current_buf() }
    end
    for _, bufnr in ipairs(buffers) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        M.start(bufnr)
      end
    end
    if on_done then
      on_done()
    end
  end
  again()
end

--- Tells the server that a file or folder has a new name. Callable from a file explorer's own rename event.
---@param old string absolute path before
---@param new string absolute path now
function M.renamed(old, new)
  local params = { files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } } }
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if client:supports_method('workspace/didRenameFiles') then
      client:notify('workspace/didRenameFiles', params)
    end
  end
end

---@type table<string, lsp.Handler>
M.handlers = {
  -- Sent by the server after anything changed, by whomever: { root, revision, stale }.
  ['moorline/changed'] = function(_, params, ctx)
    require('moorline.surface').changed(ctx.client_id, params or {})
  end,
  ['workspace/codeLens/refresh'] = function(_, _, ctx)
    require('moorline.surface').refresh_lenses(ctx.client_id)
    return vim.NIL
  end,
}

-- What the server may name in a code lens or code action because we can run it: it needs an answer from the user.
-- Each gets one object, { id?, anchor?, state?, uri?, position? }.
---@type table<string, fun(command: lsp.Command, ctx: table)>
M.client_commands = {}

---@param verb string
---@return fun(command: lsp.Command, ctx: table)
local function runs(verb)
  return function(command, ctx)
    local argument = (command.arguments or {})[1]
    require('moorline.command').from_server(verb, type(argument) == 'table' and argument or {}, ctx)
  end
end

for _, verb in ipairs({ 'record', 'supersede', 'retire', 'reanchor', 'transition', 'showMemories', 'diff' }) do
  M.client_commands['moorline.ui.' .. verb] = runs(verb)
end

-- A code action that shows a difference may name the server's own command, whose answer Neovim would drop.
M.client_commands['moorline.diff'] = runs('diff')

--- Names of the commands that this client can run, sorted: what initializationOptions carry.
---@return string[]
function M.client_command_names()
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, 'moorline.ui.')
  end, vim.tbl_keys(M.client_commands))
  table.sort(names)
  return names
end

return M
