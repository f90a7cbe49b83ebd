// A headless Neovim with the plugin, driven over its own socket while VS Code has the same file open.
import { spawn, execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './workbench.mjs';

const run = promisify(execFile);

/** What a person would answer to the plugin's questions, given beforehand. */
const ANSWERS = `
  vim.ui.select = function(items, options, done)
    for index, item in ipairs(items) do
      local label = options.format_item and options.format_item(item) or tostring(item)
      if label:find(_G.pick, 1, true) then return done(item, index) end
    end
    done(nil)
  end
  vim.ui.input = function(_, done) done(_G.answer) end
`;

export class Neovim {
  static async open({ nvim, plugin, moorline, env, folder, file }) {
    const self = new Neovim();
    self.nvim = nvim;
    self.folder = mkdtempSync(join(tmpdir(), 'moor-nvim-'));
    self.socket = join(self.folder, 'nvim.sock');
    const cmd = [...moorline, 'lsp'].map((part) => JSON.stringify(part)).join(', ');
    self.process = spawn(
      nvim,
      ['--headless', '-u', 'NONE', '-i', 'NONE', '--listen', self.socket, '--cmd', `set rtp^=${plugin}`, '--cmd', 'filetype on', '-c', 'runtime plugin/moorline.lua',
        '-c', `lua ${ANSWERS.replaceAll('\n', ' ')}`, '-c', `lua require('moorline').setup({ cmd = { ${cmd} } })`, '-c', `edit ${file}`],
      { cwd: folder, env: { ...process.env, ...env, HOME: self.folder, XDG_STATE_HOME: self.folder, XDG_DATA_HOME: self.folder }, stdio: 'ignore' },
    );
    await until('Neovim to be attached to the server', () =>
      self.lua(`#vim.tbl_filter(function(c) return c.initialized end, vim.lsp.get_clients({ name = 'moorline' })) > 0`).catch(() => false));
    return self;
  }

  /** Evaluates a Lua expression in it. */
  async lua(expression) {
    const { stdout } = await run(this.nvim, ['--server', this.socket, '--remote-expr', `luaeval(${quote(`vim.json.encode(${expression})`)})`], { timeout: 20_000 });
    return JSON.parse(stdout);
  }

  /** Runs a command such as `Moorline record`, with answers for what it asks. */
  run(command, { pick = '', answer = '' } = {}) {
    const literal = (text) => JSON.stringify(text);
    return this.lua(`(function() _G.pick = ${literal(pick)}; _G.answer = ${literal(answer)}; vim.cmd(${literal(command)}); return true end)()`);
  }

  problems() {
    return this.lua(`vim.tbl_map(function(d) return { message = d.message, severity = d.severity, code = d.code } end, vim.diagnostic.get(0))`);
  }

  async close() {
    await run(this.nvim, ['--server', this.socket, '--remote-expr', 'execute("qa!")'], { timeout: 5000 }).catch(() => undefined);
    if (this.process.exitCode === null) {
      this.process.kill();
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** A string of Vim script. */
function quote(text) {
  return `'${text.replaceAll("'", "''")}'`;
}
