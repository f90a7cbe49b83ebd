-- How answers of the server look: one line in a menu, a float, a diff in a split, a quickfix list.
local protocol = require('moorline.protocol')

local M = {}

--- Text as one line without control characters: memory text comes from a repository and is shown, never obeyed.
---@param text string?
---@param width integer? cut to this many cells
---@return string
function M.one_line(text, width)
  local line = vim.trim((text or ''):gsub('%c+', ' '):gsub('%s+', ' '))
  if width and vim.fn.strdisplaywidth(line) > width then
    line = vim.fn.strcharpart(line, 0, width - 1) .. '…'
  end
  return line
end

--- Lines of a text without control characters other than tabs.
---@param text string?
---@return string[]
local function lines_of(text)
  return vim.split(((text or ''):gsub('\r\n?', '\n'):gsub('[%z\1-\8\11-\31\127]', '')), '\n')
end

--- The part of an id that is shown, typed and completed, as long as the server's own texts show it. An id of version
--- 7 begins with its time, so it needs more to be unique.
---@param id string?
---@return string
function M.short(id)
  local whole = id or ''
  return whole:sub(1, whole:sub(15, 15) == '7' and 13 or 8)
end

---@param memory table
---@return string[] words for what it is: kind, state where readers no longer get it, what is owed, standing
local function standing(memory)
  local words = { memory.kind or 'memory' }
  if memory.state and memory.current == false then
    words[#words + 1] = (memory.state:gsub('_', ' '))
  end
  if type(memory.owed) == 'string' then
    words[#words + 1] = M.one_line(memory.owed)
  end
  if memory.disputed then
    words[#words + 1] = 'disputed'
  end
  if memory.contradicted then
    words[#words + 1] = 'contradicted'
  end
  words[#words + 1] = memory.stale and 'stale' or nil
  return words
end

--- A memory as an entry of a menu.
---@param memory table as `--json` answers it
---@return string
function M.entry(memory)
  return ('%s: %s  (%s)'):format(
    table.concat(standing(memory), ', '),
    M.one_line(memory.text, 60),
    M.short(memory.id)
  )
end

---@param anchor table
---@return string
function M.place(anchor)
  local now = anchor.now
  local symbol = now and now.symbol or anchor.symbol
  local file = now and now.file or anchor.file
  if symbol then
    return ('%s#%s'):format(file, symbol)
  end
  if now and now.start_line then
    return ('%s:%d-%d'):format(file, now.start_line, now.end_line)
  end
  return file
end

---@param anchor table
---@return string
local function verdict(anchor)
  local words = (anchor.verdict or ''):gsub('_', ' ')
  if anchor.detail and anchor.detail ~= '' then
    return ('%s: %s'):format(words, M.one_line(anchor.detail))
  end
  return words
end

--- A memory in a float at the cursor.
---@param memory table
function M.show(memory)
  local lines = { ('# %s'):format(table.concat(standing(memory), ' · ')), '' }
  vim.list_extend(lines, lines_of(memory.text))
  lines[#lines + 1] = ''
  for _, anchor in ipairs(memory.anchors or {}) do
    lines[#lines + 1] = ('- `%s` %s'):format(M.one_line(M.place(anchor)), verdict(anchor))
    for _, candidate in ipairs(anchor.candidates or {}) do
      local alike = math.floor((candidate.similarity or 0) * 100 + 0.5)
      lines[#lines + 1] = ('  - could be `%s` (%d%% alike)'):format(M.one_line(M.place({ now = candidate })), alike)
    end
  end
  lines[#lines + 1] = ''
  local facts = {}
  facts[#facts + 1] = memory.author
  facts[#facts + 1] = memory.recorded
  facts[#facts + 1] = memory.revision and 'at ' .. memory.revision:sub(1, 7)
  for _, tag in ipairs(memory.tags or {}) do
    facts[#facts + 1] = '#' .. tag
  end
  facts[#facts + 1] = memory.id
  lines[#lines + 1] = M.one_line(table.concat(facts, ' · '))
  vim.lsp.util.open_floating_preview(lines, 'markdown', {
    focus_id = 'moorline.show',
    max_width = math.min(100, vim.o.columns - 4),
  })
end

--- Lines in a scratch window of their own, which `q` closes.
---@param lines string[]
---@param filetype string
---@param mods table? command modifiers, such as `:vertical`
local function scratch(lines, filetype, mods)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = filetype
  vim.bo[bufnr].modifiable = false
  local modifiers = mods or {}
  if (modifiers.split or '') == '' then
    modifiers = vim.tbl_extend('force', modifiers, { split = 'botright' })
  end
  local command = { cmd = 'split', mods = modifiers }
  if not modifiers.vertical then
    command.range = { math.max(3, math.min(#lines, math.floor(vim.o.lines / 2))) }
  end
  vim.cmd(command)
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.wo[0][0].number = false
  vim.wo[0][0].relativenumber = false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close this view' })
end

--- What changed under a memory, in a scratch window with the filetype `diff`. `q` closes it.
---@param answer table as `moorline diff --json` answers it
---@param mods table? command modifiers, such as `:vertical`
function M.diff(answer, mods)
  local lines = {}
  for _, line in ipairs(lines_of(answer.text)) do
    lines[#lines + 1] = '# ' .. line
  end
  for _, anchor in ipairs(answer.anchors or {}) do
    lines[#lines + 1] = '# ' .. M.one_line(M.place(anchor)) .. ': ' .. verdict(anchor)
    if not anchor.diff then
      lines[#lines + 1] = '# (the code it was recorded on is not kept, so there is nothing to compare with)'
    end
    for _, line in ipairs(anchor.diff or {}) do
      lines[#lines + 1] = lines_of(line)[1]
    end
  end
  scratch(lines, 'diff', mods)
end

--- What happened to a memory, in a scratch window. `q` closes it.
---@param memory table
---@param answer {events: table[]} as `moorline history --json` answers it
---@param mods table?
function M.history(memory, answer, mods)
  local lines = { ('# %s'):format(M.entry(memory)), '' }
  for _, event in ipairs(answer.events or {}) do
    local revision = type(event.revision) == 'string' and event.revision ~= '' and ' at ' .. event.revision:sub(1, 7) or ''
    local mark = (type(event.undone_by) == 'string' and ' (undone)' or '') .. (event.rival and ' (at odds)' or '')
    local when = M.one_line((event.time or ''):sub(1, 16):gsub('T', ' '))
    lines[#lines + 1] = M.one_line(('- %s %s%s: %s%s'):format(when, event.author or '', revision, event.what or '', mark))
    if type(event.why) == 'string' and event.why ~= '' then
      for _, line in ipairs(lines_of(event.why)) do
        lines[#lines + 1] = '  ' .. line
      end
    end
    for _, piece in ipairs(event.type ~= 'evidence' and event.evidence or {}) do
      local role = type(piece.role) == 'string' and piece.role .. '=' or ''
      lines[#lines + 1] = M.one_line(('  - %s%s:%s'):format(role, piece.type or '', piece.value or ''))
    end
  end
  scratch(lines, 'markdown', mods)
end

--- What is owed in the quickfix list, most pressing first, and the list opened unless nothing is.
---@param client vim.lsp.Client
---@param answer {items: table[]} as `moorline backlog --json` answers it
function M.backlog(client, answer)
  local items = {}
  for _, item in ipairs(answer.items or {}) do
    local place = type(item.place) == 'string' and item.place or ''
    local now = type(item.now) == 'table' and item.now or {}
    local file = now.file or place:match('^(.-)#') or place:match('^(.-):%d') or place
    local line = now.start_line or tonumber(place:match(':(%d+)'))
    items[#items + 1] = {
      filename = file ~= '' and vim.fs.joinpath(client.root_dir or '', file) or nil,
      lnum = line or (file ~= '' and 1 or nil),
      type = 'W',
      text = M.one_line(('%s: %s  %s'):format(item.what or '', M.one_line(item.title, 60), item.command or '')),
    }
  end
  vim.fn.setqflist({}, ' ', { title = 'Moorline: what is owed', items = items })
  if #items == 0 then
    vim.cmd.cclose()
    protocol.notify('nothing is owed')
  else
    vim.cmd('botright copen')
  end
end

--- What a search found in the quickfix list, the best first, and the list opened unless nothing was.
---@param client vim.lsp.Client
---@param text string what was looked for
---@param answer {memories: table[]} as `moorline search --json` answers it
function M.found(client, text, answer)
  local items = {}
  for _, memory in ipairs(answer.memories or {}) do
    local anchors = memory.anchors or {}
    for at = 1, math.max(1, #anchors) do
      local anchor = anchors[at]
      local now = anchor and anchor.now
      items[#items + 1] = {
        filename = anchor and vim.fs.joinpath(client.root_dir or '', now and now.file or anchor.file) or nil,
        lnum = anchor and (now and now.start_line or (anchor.lines or {})[1] or 1) or nil,
        type = (anchor and anchor.stale or memory.contradicted) and 'W' or 'I',
        text = M.entry(memory),
        user_data = { id = memory.id, anchor = anchor and anchor.id },
      }
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'Moorline: ' .. M.one_line(text, 60), items = items })
  if #items == 0 then
    vim.cmd.cclose()
    protocol.notify('nothing found')
  else
    vim.cmd('botright copen')
  end
end

---@class moorline.Listing
---@field title string
---@field filter table what `moorline.list` was asked for
---@field only_stale boolean anchors that are not stale are left out

---@type {quickfix: integer, client: integer, listing: moorline.Listing}?
local shown

--- One quickfix item an anchor.
---@param root string
---@param memories table[]
---@param only_stale boolean
---@return table[]
local function items_of(root, memories, only_stale)
  local items = {}
  for _, memory in ipairs(memories) do
    for _, anchor in ipairs(memory.anchors or {}) do
      if anchor.stale or not only_stale then
        local now = anchor.now
        items[#items + 1] = {
          filename = vim.fs.joinpath(root, now and now.file or anchor.file),
          lnum = now and now.start_line or (anchor.lines or {})[1] or 1,
          type = anchor.stale and 'W' or 'I',
          text = M.one_line(('%s [%s]: %s  (%s)'):format(
            table.concat(standing(memory), ', '),
            (anchor.verdict or ''):gsub('_', ' '),
            M.one_line(memory.text, 80),
            M.short(memory.id)
          )),
          user_data = { id = memory.id, anchor = anchor.id },
        }
      end
    end
  end
  table.sort(items, function(one, other)
    if one.type ~= other.type then
      return one.type == 'W'
    end
    if one.filename ~= other.filename then
      return one.filename < other.filename
    end
    return one.lnum < other.lnum
  end)
  return items
end

--- Memories in the quickfix list, stale ones first, and the list opened unless it is empty.
---@param client vim.lsp.Client
---@param memories table[]
---@param listing moorline.Listing
function M.quickfix(client, memories, listing)
  local items = items_of(client.root_dir or '', memories, listing.only_stale)
  vim.fn.setqflist({}, ' ', { title = listing.title, items = items, context = { moorline = true } })
  shown = { quickfix = vim.fn.getqflist({ id = 0 }).id, client = client.id, listing = listing }
  if #items == 0 then
    vim.cmd.cclose()
    protocol.notify(listing.only_stale and 'nothing is stale' or 'no memories')
  else
    vim.cmd('botright copen')
  end
end

--- Fills our quickfix list again where it is the current one, keeping the line that is selected.
---@param client_id integer
function M.refresh_quickfix(client_id)
  local mine = shown
  if not mine or mine.client ~= client_id or vim.fn.getqflist({ id = 0 }).id ~= mine.quickfix then
    return
  end
  local client = vim.lsp.get_client_by_id(client_id)
  if not client then
    return
  end
  protocol.execute(client, 'moorline.list', mine.listing.filter, function(answer)
    local now = vim.fn.getqflist({ id = mine.quickfix, idx = 0, title = 0 })
    if now.id ~= mine.quickfix then
      return
    end
    local items = items_of(client.root_dir or '', answer.memories or {}, mine.listing.only_stale)
    vim.fn.setqflist({}, 'r', { id = mine.quickfix, items = items, title = mine.listing.title })
    if now.idx > 0 and now.idx <= #items then
      vim.fn.setqflist({}, 'r', { id = mine.quickfix, idx = now.idx })
    end
  end)
end

return M
