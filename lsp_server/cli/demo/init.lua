-- How the demo's Neovim is set up: as a user with little configuration has it, with Moorline and a statusline.
-- `vim.g.moorline_demo` says where the plugin is and how the server is started.
local demo = vim.g.moorline_demo

vim.opt.runtimepath:prepend(demo.plugin)
vim.opt.number = true
vim.opt.signcolumn = 'yes'
vim.opt.hlsearch = false
vim.opt.incsearch = false
vim.opt.scrolloff = 4
vim.opt.winborder = 'rounded'
vim.opt.shortmess:append('IcC')
vim.opt.statusline = " %t %m%=%{%v:lua.require'moorline'.statusline()%}  %l:%c "

-- The default is the colour of what is no text, hard to read in a picture.
vim.api.nvim_set_hl(0, 'LspCodeLens', { link = 'Comment' })

require('moorline').setup({ cmd = demo.server })
