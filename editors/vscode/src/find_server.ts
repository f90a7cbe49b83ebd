// Finds the program that is Moorline's server. Nothing that the workspace brings along is run before the user trusts it.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

export interface ServerCommand {
  program: string;
  /** Arguments that come before Moorline's own, such as `-m lsp_server`. */
  args: string[];
  /** Where it was found, for the log. */
  from: string;
}

export class ServerNotFound extends Error {}

const WINDOWS = process.platform === 'win32';
const BIN = WINDOWS ? 'Scripts' : 'bin';
const NAME = WINDOWS ? 'moorline.exe' : 'moorline';

/** The server's command: the setting, else the workspace's virtual environment, else PATH. Throws ServerNotFound. */
export async function findServer(): Promise<ServerCommand> {
  const configured = vscode.workspace.getConfiguration('moorline').get<string[]>('server.command') ?? [];
  if (configured.length > 0) {
    return fromSetting(configured);
  }
  if (vscode.workspace.isTrusted) {
    for (const folder of await environments()) {
      const program = path.join(folder, BIN, NAME);
      if (runnable(program)) {
        return { program, args: [], from: 'the virtual environment of the workspace' };
      }
    }
  }
  const program = onPath(NAME);
  if (program !== undefined) {
    return { program, args: [], from: 'PATH' };
  }
  throw new ServerNotFound(
    'Moorline: its server was not found. Install it with "pipx install moorline", "pip install moorline" or ' +
      '"uv tool install moorline", or say in the setting moorline.server.command where it is.',
  );
}

function fromSetting(configured: string[]): ServerCommand {
  const [first = '', ...args] = configured.map(expand);
  const program = /[\\/]/.test(first) ? path.resolve(workspaceFolders()[0] ?? os.homedir(), first) : onPath(first);
  if (program === undefined || !runnable(program)) {
    throw new ServerNotFound(`Moorline: the setting moorline.server.command names ${first}, which cannot be run. Correct it, or empty it to search for the server.`);
  }
  if (args.at(-1) === 'lsp') {
    args.pop();
  }
  return { program, args, from: 'the setting moorline.server.command' };
}

function expand(part: string): string {
  return part.replace(/^~(?=[\\/])/, os.homedir()).replaceAll('${workspaceFolder}', workspaceFolders()[0] ?? os.homedir());
}

function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === 'file').map((f) => f.uri.fsPath);
}

/** Folders of virtual environments, the nearest to the user's intent first. */
async function environments(): Promise<string[]> {
  const own = workspaceFolders().flatMap((folder) => ['.venv', 'venv'].map((name) => path.join(folder, name)));
  const chosen = await pythonExtensionEnvironment();
  return chosen === undefined ? own : [chosen, ...own];
}

interface PythonApi {
  environments?: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } };
}

async function pythonExtensionEnvironment(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (!extension?.isActive) {
    return undefined; // Never made to start: the search goes on without it.
  }
  const chosen = extension.exports?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  if (chosen === undefined || !path.isAbsolute(chosen.path)) {
    return undefined;
  }
  const stat = await fs.promises.stat(chosen.path).catch(() => undefined);
  return stat?.isDirectory() ? chosen.path : path.dirname(path.dirname(chosen.path));
}

/** The program of that name on PATH. Relative entries are passed over: they would mean a folder of the workspace. */
function onPath(name: string): string | undefined {
  const names = WINDOWS && path.extname(name) === '' ? [`${name}.exe`] : [name];
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => names.map((file) => path.join(folder, file)))
    .find(runnable);
}

function runnable(program: string): boolean {
  try {
    fs.accessSync(program, fs.constants.X_OK);
    return fs.statSync(program).isFile();
  } catch {
    return false;
  }
}
