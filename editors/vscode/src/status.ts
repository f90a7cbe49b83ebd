// The count in the status bar.
import * as vscode from 'vscode';
import type { Connection } from './client';
import type { Memories } from './memories';

export function registerStatus(connection: Connection, memories: Memories): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('moorline.status', vscode.StatusBarAlignment.Left, 40);
  item.name = 'Moorline';
  const show = (): void => {
    void vscode.commands.executeCommand('setContext', 'moorline.running', connection.isRunning);
    const stale = memories.staleCount;
    item.backgroundColor = undefined;
    if (!vscode.workspace.workspaceFolders?.length) {
      item.hide();
      return;
    }
    if (!connection.isRunning) {
      item.text = '⚓ off';
      item.tooltip = 'Moorline: the server is not running. Click to start it.';
      item.command = 'moorline.ui.restart';
    } else if (stale > 0) {
      item.text = `⚓ ${stale} stale`;
      item.tooltip = `Moorline: ${stale} of ${memories.all.length} memories are stale. Click to see them.`;
      item.command = 'moorline.ui.stale';
      item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
    } else {
      item.text = `⚓ ${memories.all.length}`;
      item.tooltip = `Moorline: ${memories.all.length} memories, none stale. Click to list them.`;
      item.command = 'moorline.ui.list';
    }
    item.show();
  };
  show();
  return vscode.Disposable.from(item, memories.onUpdated(show), connection.onRunning(show), vscode.workspace.onDidChangeWorkspaceFolders(show));
}
