-- The server's configuration, as `vim.lsp.enable('moorline')` finds it on the runtimepath. Every field can be
-- overridden with `vim.lsp.config('moorline', { ... })` or through `require('moorline').setup{ ... }`.
local protocol = require('moorline.protocol')

---@type vim.lsp.Config
return {
  cmd = { 'moorline', 'lsp' },
  -- No `filetypes`: a decision can be kept on a region or a whole file of any kind.
  root_dir = protocol.root_dir,
  workspace_required = true,
  init_options = { moorline = { clientCommands = protocol.client_command_names() } },
  capabilities = protocol.capabilities,
  handlers = protocol.handlers,
  commands = protocol.client_commands,
  settings = { moorline = vim.empty_dict() },
  -- The server judges an edit within milliseconds, so the editor's own wait of 150 ms would be most of what is felt.
  flags = { debounce_text_changes = 30 },
}
