// What the test hands to a story: one JSON file, named on the command line.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/**
 * codeServer: folder that code-server is installed in; vsix: [the extension, the probe]; moorline: the command line's
 * program and arguments; env: what it needs; source: a real Python module to copy; nvim, plugin: Neovim and the plugin's
 * folder, or null; overMcp: the script that records as an agent does; out: folder for pictures and results.
 */
export const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** A git repository with a copy of the real module, committed. */
export class Repository {
  constructor(prefix = 'moor-repo-') {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
    this.file = join(this.folder, basename(config.source));
    cpSync(config.source, this.file);
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Ada Moor');
    this.git('config', 'user.email', 'ada@example.invalid');
    this.git('config', 'core.hooksPath', '/dev/null');
    this.git('config', 'commit.gpgsign', 'false');
    this.commit('The module as it was installed');
  }

  git(...args) {
    return execFileSync('git', args, { cwd: this.folder, encoding: 'utf8' });
  }

  commit(message) {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  text() {
    return readFileSync(this.file, 'utf8');
  }

  /** Line and column, from 1, where a text begins in the file or in the given text. */
  find(what, text = this.text()) {
    const before = text.split(what)[0];
    if (before === text) {
      throw new Error(`"${what}" is not in the file`);
    }
    return [before.split('\n').length, before.length - before.lastIndexOf('\n')];
  }

  /** Runs the command line in another process: {code, out, err}, and `json` where it was asked for. */
  moorline(...args) {
    const [program, ...first] = config.moorline;
    const run = spawnSync(program, [...first, ...args], { cwd: this.folder, env: { ...process.env, ...config.env }, encoding: 'utf8', timeout: 60_000 });
    const answer = { code: run.status, out: run.stdout, err: run.stderr };
    if (args.includes('--json')) {
      answer.json = JSON.parse(run.stdout);
    }
    return answer;
  }

  mkdir(...parts) {
    const folder = join(this.folder, ...parts);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
