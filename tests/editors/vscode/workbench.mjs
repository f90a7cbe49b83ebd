// A VS Code of its own: code-server with a fresh profile, and Chromium that looks at it. Knows nothing of the story.
import { chromium } from 'playwright-core';
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = Number(process.env.MOORLINE_PATIENCE_MS ?? 45_000);

/** Settings that make typing land in the file as typed, and keep VS Code to itself. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'git.enabled': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'editor.minimap.enabled': false,
  'editor.hover.delay': 150,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.parameterHints.enabled': false,
  'editor.wordBasedSuggestions': 'off',
  'editor.acceptSuggestionOnEnter': 'off',
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'none',
  'editor.occurrencesHighlight': 'off',
};

/** A profile: extensions, settings, HOME. It outlives the windows that are opened with it. */
export class Profile {
  constructor({ codeServer, vsix, settings = {}, trust = true, env = {} }) {
    this.program = join(codeServer, 'node_modules/.bin/code-server');
    this.trust = trust;
    this.folder = mkdtempSync(join(tmpdir(), 'moor-'));
    this.socket = join(this.folder, 'probe.sock');
    this.home = join(this.folder, 'home');
    this.env = {
      ...process.env,
      ...env,
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      XDG_DATA_HOME: join(this.home, '.local/share'),
      EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:1"}',
    };
    mkdirSync(join(this.folder, 'data/User'), { recursive: true });
    mkdirSync(this.home);
    writeFileSync(join(this.home, '.gitconfig'), '[user]\n\tname = Ada Moor\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n');
    writeFileSync(join(this.folder, 'data/User/settings.json'), JSON.stringify({ ...QUIET, ...settings, 'moorlineProbe.socket': this.socket }, null, 1));
    const install = vsix.flatMap((file) => ['--install-extension', file]);
    execFileSync(this.program, [...this.arguments(), ...install], { env: this.env, stdio: 'pipe' });
  }

  arguments() {
    return ['--user-data-dir', join(this.folder, 'data'), '--extensions-dir', join(this.folder, 'ext')];
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export class Workbench {
  /** Starts the server and a browser on a folder (or a `.code-workspace` file). */
  static async open(profile, folder) {
    const self = new Workbench();
    self.profile = profile;
    rmSync(profile.socket, { force: true });
    const port = await freePort();
    const flags = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    if (profile.trust) {
      flags.push('--disable-workspace-trust');
    }
    self.output = '';
    // A group of its own: the extension host outlives the page, and is ended with its group.
    self.server = spawn(profile.program, [...profile.arguments(), ...flags], { env: profile.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [self.server.stdout, self.server.stderr]) {
      stream.on('data', (data) => (self.output += data));
    }
    try {
      await until('code-server', async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok);
      self.browserFolder = mkdtempSync(join(tmpdir(), 'moor-browser-'));
      self.context = await chromium.launchPersistentContext(self.browserFolder, {
        executablePath: process.env.MOORLINE_CHROMIUM,
        headless: true,
        viewport: { width: 1280, height: 800 },
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
      });
      self.page = self.context.pages()[0] ?? (await self.context.newPage());
      self.strangers = new Set();
      self.page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== '127.0.0.1') {
          self.strangers.add(hostname);
        }
      });
      const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
      await self.page.goto(`http://127.0.0.1:${port}/?${kind}=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded' });
      await self.see('.monaco-workbench');
      await self.see('.explorer-folders-view .monaco-list-row');
      self.probe = await connect(profile.socket);
    } catch (error) {
      await self.close();
      throw new Error(`${error.message}\n${self.output.slice(-2000)}`, { cause: error });
    }
    return self;
  }

  /** Ends the browser, the server, and with it the extension host and its language server. */
  async close() {
    this.probe?.socket.destroy();
    await this.context?.close().catch(() => undefined);
    if (this.browserFolder) {
      rmSync(this.browserFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
    if (this.server.exitCode === null && this.server.signalCode === null) {
      const gone = new Promise((resolve) => this.server.once('exit', resolve));
      process.kill(-this.server.pid, 'SIGTERM');
      await Promise.race([gone, sleep(5000).then(() => process.kill(-this.server.pid, 'SIGKILL'))]).catch(() => undefined);
    }
  }

  /** Asks the probe in the extension host. */
  async ask(question, argument) {
    const { answer, error } = await this.probe.ask({ question, argument });
    if (error !== undefined) {
      throw new Error(`${question}: ${error}`);
    }
    return answer;
  }

  async see(selector, patience = PATIENCE_MS) {
    const found = this.page.locator(selector).filter({ visible: true }).first();
    await found.waitFor({ timeout: patience });
    return found;
  }

  async texts(selector) {
    return (await this.page.locator(selector).allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '));
  }

  async press(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  shot(path) {
    return this.page.screenshot({ path });
  }

  /** Opens a file through Quick Open, which is opened anew until it knows the file. */
  async openFile(name) {
    const entry = `.quick-input-list .monaco-list-row:has-text("${name}")`;
    await until(`Quick Open to list ${name}`, async () => {
      await this.press('Escape', 'Control+p');
      await this.see('.quick-input-widget input');
      await this.type(name);
      return this.see(entry, 3000).then(() => true, () => false);
    });
    await sleep(200);
    await this.press('Enter');
    await this.see(`.tab.active:has-text("${name}")`);
    await this.see('.monaco-editor .view-line');
  }

  /** Closes the active tab with its button. */
  async closeFile() {
    const tabs = await this.page.locator('.tab').count();
    await this.page.locator('.tab.active .tab-actions .action-label').first().click({ force: true });
    await until('the tab to be gone', async () => (await this.page.locator('.tab').count()) < tabs);
  }

  /** Puts the cursor somewhere, lines and columns from 1. */
  async goTo(line, column = 1) {
    await this.press('Control+g');
    await this.see('.quick-input-widget input');
    await this.type(`${line}:${column}`);
    await this.press('Enter');
    await this.page.locator('.quick-input-widget').first().waitFor({ state: 'hidden' });
  }

  /** Runs a command by its title through the palette. */
  async command(title) {
    await this.press('F1');
    await this.see('.quick-input-widget input');
    await this.type(title);
    await (await this.see(`.quick-input-list .monaco-list-row:has-text("${title}")`)).click(); // Maybe not the first.
  }

  /** Picks an entry of the quick pick that is open or about to be. */
  async pick(text, title) {
    if (title !== undefined) {
      await this.see(`.quick-input-title:has-text("${title}")`);
    }
    await this.see(`.quick-input-list .monaco-list-row:has-text("${text}")`);
    await this.type(text);
    await this.see(`.quick-input-list .monaco-list-row.focused:has-text("${text}")`);
    await this.press('Enter');
  }

  /** Fills the input box that is open or about to be. */
  async fill(prompt, text) {
    await this.see(`.quick-input-widget .quick-input-message:has-text("${prompt}")`);
    const input = await this.see('.quick-input-widget input[type="text"], .quick-input-widget .quick-input-box input');
    await input.fill(text);
    await this.press('Enter');
    await this.page.locator('.quick-input-widget').first().waitFor({ state: 'hidden' });
  }

  /** The text of the hover over a word in the line that holds some text. */
  async hover(lineText, word) {
    await this.page.mouse.move(900, 700);
    const line = this.page.locator('.view-line', { hasText: lineText }).first();
    await line.locator('span span', { hasText: word }).first().hover();
    await this.see('.monaco-hover:not(.hidden) .hover-contents');
    await sleep(400);
    return (await this.texts('.monaco-hover:not(.hidden) .hover-contents')).join('\n');
  }

  /**
   * Hovers in a window so high that the hover shows all of its text (VS Code gives it a quarter of the editor), takes a
   * picture of the part around it, and answers the text.
   */
  async hoverPicture(lineText, word, path) {
    const size = this.page.viewportSize();
    await this.page.setViewportSize({ width: 1100, height: 2000 });
    await sleep(500);
    try {
      const seen = await this.hover(lineText, word);
      const hover = await this.page.locator('.monaco-hover:not(.hidden)').filter({ visible: true }).first().boundingBox();
      await this.page.screenshot({ path, clip: { x: 48, y: hover.y - 62, width: 1052, height: hover.height + 300 } });
      return seen;
    } finally {
      await this.page.setViewportSize(size);
    }
  }

  async status() {
    return (await this.texts('.statusbar-item:has-text("⚓")')).join(' ').trim();
  }

  notifications() {
    return this.texts('.notification-list-item-message');
  }
}

/** Waits until the look is satisfied, and answers what it saw. */
export async function until(what, look, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  let seen;
  do {
    seen = await look();
    if (seen) {
      return seen;
    }
    await sleep(100);
  } while (Date.now() < end);
  throw new Error(`waited ${patience / 1000} s for ${what}; last seen: ${JSON.stringify(seen)}`);
}

async function connect(path) {
  await until('the probe', () => existsSync(path));
  const socket = net.createConnection(path);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const waiting = [];
  readline.createInterface({ input: socket }).on('line', (line) => waiting.shift()(JSON.parse(line)));
  socket.on('close', () => waiting.splice(0).forEach((resolve) => resolve({ error: 'the extension host is gone' })));
  let last = Promise.resolve();
  return {
    socket,
    // One at a time: the answers carry no number.
    ask: (question) =>
      (last = last.then(() => new Promise((resolve) => {
        waiting.push(resolve);
        socket.write(`${JSON.stringify(question)}\n`);
      }))),
  };
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
