// The read-only document that shows what changed under a memory.
import * as vscode from 'vscode';
import type { Connection } from './client';
import type { DiffAnswer, MemoryAnswer } from './protocol';

const SCHEME = 'moorline-diff';

export class Changes implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly connection: Connection) {}

  async show(memory: MemoryAnswer): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${memory.id.slice(0, 12)}.diff`, query: JSON.stringify({ id: memory.id, root: memory.root }) });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return render(await this.connection.ask<DiffAnswer>('moorline.diff', JSON.parse(uri.query) as object));
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

function render(answer: DiffAnswer): string {
  const parts = answer.anchors.map((anchor) => {
    const place = anchor.symbol === null ? anchor.file : `${anchor.file}#${anchor.symbol}`;
    const lines = anchor.diff === null ? ['The code that was accepted is not kept, so there is nothing to compare with.'] : anchor.diff;
    return [`# ${place}: ${anchor.verdict}`, ...(anchor.detail === '' ? [] : [`# ${anchor.detail}`]), ...(lines.length > 0 ? lines : ['The code is as it was.'])].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}
