-- `:Moorline` and what the server asks the client to run: takes words, asks for what is missing with vim.ui, sends
-- one command to the server, says what came of it. All rules are the server's.
local options = require('moorline.options')
local protocol = require('moorline.protocol')
local view = require('moorline.view')

local M = {}

---@class moorline.Request
---@field client vim.lsp.Client
---@field bufnr integer
---@field here {uri: string, position: lsp.Position} where it is about, taken before any question is asked
---@field line integer that position's line, from 1
---@field rest string words after the subcommand, as typed
---@field id string?
---@field anchor string?
---@field state string? the state that a code action named
---@field bang boolean
---@field range lsp.Range?
---@field mods table

--- Splits `[id] words`: the id, where the first word looks like one, and the rest.
---@param text string
---@return string? id
---@return string rest
local function id_and_rest(text)
  local word, rest = text:match('^(%S+)%s*(.*)$')
  if word and #word >= 4 and word:match('^%x[%x-]*$') then
    return word, rest
  end
  return nil, text
end

--- Asks for one line; an empty answer or Escape ends it there.
---@param prompt string
---@param default string?
---@param on_text fun(text: string)
local function ask(prompt, default, on_text)
  vim.ui.input({ prompt = prompt, default = default }, function(text)
    if text and vim.trim(text) ~= '' then
      on_text(vim.trim(text))
    end
  end)
end

--- Whether an anchor's code is around the line a request is about.
---@param request moorline.Request
---@param anchor table
---@return boolean
local function is_here(request, anchor)
  local now = anchor.now
  if not now then
    return false
  end
  local path = vim.fs.joinpath(request.client.root_dir or '', now.file)
  return vim.uri_from_fname(path) == request.here.uri
    and request.line >= now.start_line
    and request.line <= now.end_line
end

--- Lets the user choose one of several memories.
---@param memories table[]
---@param prompt string
---@param on_memory fun(memory: table)
local function choose(memories, prompt, on_memory)
  if #memories == 1 then
    return on_memory(memories[1])
  end
  vim.ui.select(memories, { prompt = prompt, format_item = view.entry, kind = 'moorline.memory' }, function(memory)
    if memory then
      on_memory(memory)
    end
  end)
end

--- Finds the memory a request is about: the id it names, else the one under the cursor, else one of all that
--- `elsewhere` lists.
---@param request moorline.Request
---@param prompt string
---@param elsewhere table? filter for `moorline.list`; nil: only what is under the cursor will do
---@param on_memory fun(memory: table)
local function with_memory(request, prompt, elsewhere, on_memory)
  if request.id then
    return protocol.execute(request.client, 'moorline.show', { id = request.id }, on_memory)
  end
  protocol.execute(request.client, 'moorline.list', request.here, function(answer)
    local memories = answer.memories or {}
    if #memories > 0 then
      return choose(memories, prompt, on_memory)
    end
    if not elsewhere then
      return protocol.notify('no memory here; `:Moorline record` records one')
    end
    protocol.execute(request.client, 'moorline.list', elsewhere, function(all)
      if #(all.memories or {}) == 0 then
        return protocol.notify(elsewhere.stale and 'nothing is stale' or 'no memories')
      end
      -- Not under the cursor, so it is shown before it is taken, even if there is one only.
      vim.ui.select(all.memories, { prompt = prompt, format_item = view.entry, kind = 'moorline.memory' }, function(memory)
        if memory then
          on_memory(memory)
        end
      end)
    end)
  end)
end

--- Which of a memory's anchors a request means: the one it names, the only one, or the only one under the cursor. Else
--- nil, and the server decides or says what it needs.
---@param request moorline.Request
---@param memory table
---@return string?
local function anchor_of(request, memory)
  if request.anchor then
    return request.anchor
  end
  local here = vim.tbl_filter(function(anchor)
    return is_here(request, anchor)
  end, memory.anchors or {})
  return #here == 1 and #(memory.anchors or {}) > 1 and here[1].id or nil
end

--- What was done, in one line.
---@param done string
---@return fun(memory: table)
local function says(done)
  return function(memory)
    protocol.notify(('%s %s %s'):format(done, memory.kind or 'memory', view.short(memory.id)))
  end
end

---@class moorline.Subcommand
---@field about string
---@field completes 'kind'|'id'|'scope'|'file'|nil
---@field alone boolean? needs no server
---@field run fun(request: moorline.Request)

---@type table<string, moorline.Subcommand>
local subcommands = {}

subcommands.record = {
  about = 'record a memory on the symbol under the cursor, or on the lines of a range',
  completes = 'kind',
  run = function(request)
    local known = options.current.kinds
    local word, rest = request.rest:match('^(%S+)%s*(.*)$')
    local given = vim.list_contains(known, word) and word or nil
    local text = given and rest or request.rest
    local function send(kind, said)
      local argument = { uri = request.here.uri, kind = kind, text = said, ['local'] = request.bang or nil }
      if request.range then
        argument.range = request.range
      else
        argument.position = request.here.position
      end
      protocol.execute(request.client, 'moorline.record', argument, function(memory)
        if memory.retired then
          return protocol.notify(
            ('%s was recorded before and retired: `moorline restore %s` brings it back'):format(
              view.short(memory.id),
              view.short(memory.id)
            ),
            vim.log.levels.WARN
          )
        end
        local place = (memory.anchors or {})[1]
        local done = memory.created == false and 'already recorded:' or 'recorded'
        protocol.notify(
          ('%s %s %s%s'):format(done, kind, view.short(memory.id), place and ' on ' .. view.place(place) or '')
        )
      end)
    end
    local function ask_text(kind)
      if text ~= '' then
        return send(kind, text)
      end
      ask(('What is the %s? '):format(kind), nil, function(said)
        send(kind, said)
      end)
    end
    if given then
      return ask_text(given)
    end
    vim.ui.select(known, { prompt = 'Record which kind?', kind = 'moorline.kind' }, function(kind)
      if kind then
        ask_text(kind)
      end
    end)
  end,
}

subcommands.clear = {
  about = 'accept the code as it is now: the memory is still true',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Clear which?', { stale = true }, function(memory)
      local anchor = request.anchor or (not request.id and anchor_of(request, memory) or nil)
      local note = request.rest ~= '' and request.rest or nil
      local argument = { id = memory.id, anchor = anchor, note = note }
      protocol.execute(request.client, 'moorline.clearStaleness', argument, says('cleared'))
    end)
  end,
}

subcommands.undo = {
  about = 'take back the last change of a memory: a clear, a new state, a re-anchoring',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Take back the last change of which?', {}, function(memory)
      local reason = request.rest ~= '' and request.rest or nil
      local argument = { id = memory.id, reason = reason }
      protocol.execute(request.client, 'moorline.undo', argument, says('took back the last change of'))
    end)
  end,
}

--- Asks what a step needs, one question after the other, and hands it over.
---@param step {state: string, reason: boolean, evidence: string[], successor: boolean}
---@param on_answers fun(answers: {evidence: string[]?, reason: string?, by: string?})
local function ask_for_step(step, on_answers)
  local answers = {}
  local function ask_reason()
    if not step.reason then
      return on_answers(answers)
    end
    ask('Why? ', nil, function(reason)
      answers.reason = reason
      on_answers(answers)
    end)
  end
  local function ask_successor()
    if not step.successor then
      return ask_reason()
    end
    ask('Id of the memory that takes over: ', nil, function(id)
      answers.by = id
      ask_reason()
    end)
  end
  local function ask_evidence(number)
    local start = (step.evidence or {})[number]
    if not start then
      return ask_successor()
    end
    ask('Evidence: ', start, function(piece)
      answers.evidence = vim.list_extend(answers.evidence or {}, { piece })
      ask_evidence(number + 1)
    end)
  end
  ask_evidence(1)
end

subcommands.transition = {
  about = 'change the state of a memory: a finding is fixed, a decision accepted, a claim closed',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Change the state of which?', {}, function(memory)
      local function take(step)
        ask_for_step(step, function(answers)
          local argument = vim.tbl_extend('force', answers, { id = memory.id, state = step.state })
          protocol.execute(request.client, 'moorline.transition', argument, function(answer)
            local state = ((answer or {}).state or step.state):gsub('_', ' ')
            protocol.notify(('%s %s is now %s'):format(memory.kind, view.short(memory.id), state))
          end)
        end)
      end
      local wanted = request.state or (request.rest ~= '' and request.rest:gsub(' ', '_') or nil)
      local steps = memory.next or {}
      for _, step in ipairs(steps) do
        if step.state == wanted then
          return take(step)
        end
      end
      if wanted then
        return take({ state = wanted }) -- The server says which ones there are.
      end
      if #steps == 0 then
        return protocol.notify(('a %s that is %s stays so'):format(memory.kind, (memory.state:gsub('_', ' '))))
      end
      vim.ui.select(steps, {
        prompt = ('It is %s; from now on?'):format((memory.state:gsub('_', ' '))),
        format_item = function(step)
          return (step.state:gsub('_', ' '))
        end,
        kind = 'moorline.state',
      }, function(step)
        if step then
          take(step)
        end
      end)
    end)
  end,
}

subcommands.evidence = {
  about = 'add evidence to a memory: commit:SHA, file:PATH:LINES, url:U, test:T or quote:Q',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Add evidence to which?', {}, function(memory)
      local function send(piece)
        local argument = { id = memory.id, add = { piece } }
        protocol.execute(request.client, 'moorline.evidence', argument, says('added evidence to'))
      end
      if request.rest ~= '' then
        return send(request.rest)
      end
      ask('Evidence: ', 'commit:HEAD', send)
    end)
  end,
}

subcommands.pin = {
  about = 'pin a memory, so that it ranks first; with ! no longer',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Pin which?', {}, function(memory)
      local argument = { id = memory.id, on = not request.bang }
      protocol.execute(request.client, 'moorline.pin', argument, says(request.bang and 'unpinned' or 'pinned'))
    end)
  end,
}

subcommands.history = {
  about = 'show what happened to a memory: who, when, what and why',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Show the history of which?', {}, function(memory)
      protocol.execute(request.client, 'moorline.history', { id = memory.id }, function(answer)
        view.history(memory, answer, request.mods)
      end)
    end)
  end,
}

subcommands.backlog = {
  about = 'list what is owed in the quickfix list, most pressing first',
  run = function(request)
    protocol.execute(request.client, 'moorline.backlog', vim.empty_dict(), function(answer)
      view.backlog(request.client, answer)
    end)
  end,
}

subcommands.search = {
  about = 'find memories by what they say, the best first, in the quickfix list',
  run = function(request)
    local function send(text)
      local argument = { query = text, uri = request.here.uri, position = request.here.position }
      protocol.execute(request.client, 'moorline.search', argument, function(answer)
        view.found(request.client, text, answer)
      end)
    end
    if request.rest ~= '' then
      return send(request.rest)
    end
    ask('Search: ', nil, send)
  end,
}

subcommands.reanchor = {
  about = 'tie a memory to the symbol under the cursor, or to the lines of a range',
  completes = 'id',
  run = function(request)
    --- Ties one anchor of a memory to this place.
    local function send(memory, anchor)
      local argument = { id = memory.id, anchor = anchor, uri = request.here.uri }
      if request.range then
        argument.range = request.range
      else
        argument.position = request.here.position
      end
      protocol.execute(request.client, 'moorline.reanchor', argument, says('re-anchored'))
    end
    local function with_anchor(memory)
      local anchors = memory.anchors or {}
      if request.anchor or #anchors < 2 then
        return send(memory, request.anchor)
      end
      vim.ui.select(anchors, {
        prompt = 'Re-anchor which of its anchors?',
        format_item = function(anchor)
          return ('%s (%s)'):format(view.place(anchor), anchor.verdict)
        end,
        kind = 'moorline.anchor',
      }, function(anchor)
        if anchor then
          send(memory, anchor.id)
        end
      end)
    end
    if request.id then
      return protocol.execute(request.client, 'moorline.show', { id = request.id }, with_anchor)
    end
    -- What is to be tied to this place is not here yet: stale memories of the workspace are the likely ones.
    protocol.execute(request.client, 'moorline.list', {}, function(answer)
      local memories = answer.memories or {}
      if #memories == 0 then
        return protocol.notify('no memories')
      end
      table.sort(memories, function(one, other)
        if one.stale ~= other.stale then
          return one.stale
        end
        return one.id < other.id
      end)
      vim.ui.select(memories, {
        prompt = 'Re-anchor which memory here?',
        format_item = view.entry,
        kind = 'moorline.memory',
      }, function(memory)
        if memory then
          with_anchor(memory)
        end
      end)
    end)
  end,
}

subcommands.supersede = {
  about = 'put a new text in the place of an old one; the old one stays in the history',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Supersede which?', {}, function(memory)
      local function send(text)
        protocol.execute(request.client, 'moorline.supersede', { id = memory.id, text = text }, says('superseded by'))
      end
      if request.rest ~= '' then
        return send(request.rest)
      end
      ask('New text: ', view.one_line(memory.text), send)
    end)
  end,
}

subcommands.retire = {
  about = 'end a memory that no longer holds, with a reason',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Retire which?', {}, function(memory)
      local function send(reason)
        protocol.execute(request.client, 'moorline.retire', { id = memory.id, reason = reason }, says('retired'))
      end
      if request.rest ~= '' then
        return send(request.rest)
      end
      ask('Why does it no longer hold? ', nil, send)
    end)
  end,
}

subcommands.show = {
  about = 'show a memory whole',
  completes = 'id',
  run = function(request)
    with_memory(request, 'Show which?', {}, view.show)
  end,
}

subcommands.diff = {
  about = 'show what changed under a memory since it was last accepted',
  completes = 'id',
  run = function(request)
    local function send(id, anchor)
      protocol.execute(request.client, 'moorline.diff', { id = id, anchor = anchor }, function(answer)
        view.diff(answer, request.mods)
      end)
    end
    if request.id then
      return send(request.id, request.anchor)
    end
    with_memory(request, 'Show the changes under which?', { stale = true }, function(memory)
      send(memory.id, anchor_of(request, memory))
    end)
  end,
}

---@param request moorline.Request
---@param name string
---@param stale boolean
local function listing(request, name, stale)
  local filter = { stale = stale or nil }
  if request.rest == 'buffer' then
    filter.uri = request.here.uri
  end
  protocol.execute(request.client, 'moorline.list', filter, function(answer)
    view.quickfix(request.client, answer.memories or {}, { title = name, filter = filter, only_stale = stale })
  end)
end

subcommands.list = {
  about = 'list memories in the quickfix list (`buffer`: only those of this file)',
  completes = 'scope',
  run = function(request)
    listing(request, 'Moorline: memories', false)
  end,
}

subcommands.stale = {
  about = 'list what is stale in the quickfix list (`buffer`: only in this file)',
  completes = 'scope',
  run = function(request)
    listing(request, 'Moorline: stale', true)
  end,
}

subcommands.rename = {
  about = 'rename the file of this buffer, on disk and for the server',
  completes = 'file',
  alone = true,
  run = function(request)
    if request.rest == '' then
      return protocol.notify('`:Moorline rename NEW` needs the new name', vim.log.levels.ERROR)
    end
    local old = vim.api.nvim_buf_get_name(request.bufnr)
    local new = vim.fs.abspath(vim.fn.expand(request.rest))
    if vim.uv.fs_stat(new) then
      return protocol.notify(new .. ' exists already; choose another name', vim.log.levels.ERROR)
    end
    vim.fn.mkdir(vim.fs.dirname(new), 'p')
    local done, why = vim.uv.fs_rename(old, new)
    if not done then
      return protocol.notify(why or 'the file cannot be renamed', vim.log.levels.ERROR)
    end
    -- `:saveas` would write unsaved text. `:file` keeps it unsaved under the new name; the server is told last, when
    -- it is asked to close the old document and open the new one.
    local was_modified = vim.bo[request.bufnr].modified
    vim.api.nvim_buf_call(request.bufnr, function()
      vim.cmd.file({ args = { vim.fn.fnameescape(new) }, mods = { keepalt = true, silent = true } })
      if not was_modified then
        vim.cmd.edit({ mods = { silent = true } })
      end
    end)
    protocol.renamed(old, new)
  end,
}

subcommands.restart = {
  about = 'stop the server and start it again',
  alone = true,
  run = function()
    protocol.restart(function()
      protocol.notify('the server was started again')
    end)
  end,
}

subcommands.log = {
  about = "open Neovim's log of language servers",
  alone = true,
  run = function()
    vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
    vim.cmd.normal({ args = { 'G' }, bang = true })
  end,
}

--- What can be done with the memories at a place, as a menu: a code lens runs it.
---@param request moorline.Request
local function menu(request)
  local entries = {
    { 'Show it', 'show' },
    { 'Show what changed', 'diff', stale = true },
    { 'Still true: clear it', 'clear', stale = true },
    { 'Change its state', 'transition', steps = true },
    { 'Show its history', 'history' },
    { 'Take back the last change', 'undo' },
    { 'Supersede it', 'supersede' },
    { 'Retire it', 'retire' },
  }
  with_memory(request, 'Which memory?', nil, function(memory)
    local offered = vim.tbl_filter(function(entry)
      return (not entry.stale or memory.stale) and (not entry.steps or #(memory.next or {}) > 0)
    end, entries)
    vim.ui.select(offered, {
      prompt = view.entry(memory),
      format_item = function(entry)
        return entry[1]
      end,
      kind = 'moorline.action',
    }, function(entry)
      if entry then
        local anchor = anchor_of(request, memory)
        subcommands[entry[2]].run(vim.tbl_extend('force', request, { id = memory.id, anchor = anchor }))
      end
    end)
  end)
end

--- The request for a subcommand, or nil (and a word about it) where no server serves this buffer.
---@param client vim.lsp.Client?
---@return moorline.Request?
local function request_for(client)
  if not client then
    protocol.notify('no server for this buffer; `:checkhealth moorline` says why', vim.log.levels.ERROR)
    return nil
  end
  local here = protocol.here(client)
  return {
    client = client,
    bufnr = vim.api.nvim_get_current_buf(),
    here = here,
    line = vim.api.nvim_win_get_cursor(0)[1],
    rest = '',
    bang = false,
    mods = {},
  }
end

--- Runs `:Moorline ...`.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local name, rest = args.args:match('^(%S+)%s*(.*)$')
  local subcommand = name and subcommands[name]
  if name and not subcommand then
    local known = table.concat(M.names(), ', ')
    return protocol.notify(('no subcommand `%s`; there are %s'):format(name, known), vim.log.levels.ERROR)
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if subcommand and subcommand.alone then
    return subcommand.run({ bufnr = bufnr, rest = vim.trim(rest), bang = args.bang, mods = args.smods })
  end
  -- What is about a place needs the server of this buffer; lists and ids can be asked of any.
  local anywhere = subcommand and subcommand.completes ~= 'kind' and name ~= 'reanchor'
  local request = request_for(protocol.client(bufnr, anywhere))
  if not request then
    return
  end
  request.rest = vim.trim(rest or '')
  request.bang = args.bang
  request.mods = args.smods
  if args.range > 0 then
    request.range = protocol.line_range(request.client, bufnr, args.line1, args.line2)
  end
  if not subcommand then
    return menu(request)
  end
  if subcommand.completes == 'id' then
    request.id, request.rest = id_and_rest(request.rest)
  end
  subcommand.run(request)
end

--- Runs what the server named in a code lens or code action.
---@param verb string the part after `moorline.ui.`
---@param argument {id: string?, anchor: string?, state: string?, uri: string?, position: lsp.Position?}
---@param ctx {client_id: integer?, bufnr: integer?}
function M.from_server(verb, argument, ctx)
  local client = ctx.client_id and vim.lsp.get_client_by_id(ctx.client_id)
  local request = request_for(client or protocol.client(ctx.bufnr or 0, true))
  if not request then
    return
  end
  if argument.uri and argument.position then
    request.here = { uri = argument.uri, position = argument.position }
    request.line = argument.position.line + 1
  end
  request.id, request.anchor, request.state = argument.id, argument.anchor, argument.state
  if verb == 'showMemories' then
    return menu(request)
  end
  subcommands[verb].run(request)
end

--- The subcommands, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- Completes `:Moorline`: the subcommand, then a kind, an id (of what is under the cursor first), a scope or a file.
---@param lead string
---@param line string the whole command line
---@return string[]
function M.complete(lead, line)
  local before = line:sub(1, #line - #lead):gsub('^.-Moorline!?%s*', '')
  local words = vim.split(vim.trim(before), '%s+', { trimempty = true })
  local found = {}
  if #words == 0 then
    found = M.names()
  elseif #words == 1 and subcommands[words[1]] then
    local completes = subcommands[words[1]].completes
    local client = protocol.client(vim.api.nvim_get_current_buf(), true)
    if completes == 'scope' then
      found = { 'buffer', 'workspace' }
    elseif completes == 'file' then
      return vim.fn.getcompletion(lead, 'file')
    elseif completes == 'kind' then
      found = options.current.kinds
    elseif client and completes == 'id' then
      for _, filter in ipairs({ protocol.here(client), {} }) do
        local answer = protocol.execute_sync(client, 'moorline.list', filter, 500)
        for _, memory in ipairs(answer and answer.memories or {}) do
          local id = view.short(memory.id)
          if not vim.list_contains(found, id) then
            found[#found + 1] = id
          end
        end
      end
    end
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, found)
end

return M
