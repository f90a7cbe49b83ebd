// Puts the parts together when VS Code starts the extension, and takes them down with it.
import * as vscode from 'vscode';
import { Changes } from './changes';
import { Connection } from './client';
import { registerCommands } from './commands';
import { registerGutter } from './gutter';
import { Memories } from './memories';
import { registerStatus } from './status';
import { registerView } from './view';

let connection: Connection | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Connection(context.extension);
  connection = server;
  const memories = new Memories(server);
  const changes = new Changes(server);
  context.subscriptions.push(
    server,
    memories,
    changes,
    registerView(memories),
    registerStatus(server, memories),
    registerGutter(context, memories),
    registerCommands(server, memories, changes),
    vscode.workspace.onDidGrantWorkspaceTrust(() => (server.isRunning ? undefined : server.restart())),
    vscode.workspace.onDidChangeWorkspaceFolders(() => (server.isRunning ? undefined : server.restart())),
    vscode.workspace.onDidChangeConfiguration((event) =>
      event.affectsConfiguration('moorline.server.command') ? server.restart() : undefined,
    ),
  );
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}
