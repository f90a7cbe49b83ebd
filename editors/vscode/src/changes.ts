// The read-only documents about a memory: what changed under it, and what happened to it.
import * as vscode from 'vscode';
import type { Connection } from './client';
import type { DiffAnswer, HistoryAnswer, MemoryAnswer } from './protocol';

const SCHEME = 'moorline';

/** What the name of a document ends in, with the command that it is made from. */
const VIEWS = { diff: 'moorline.diff', history: 'moorline.history' } as const;

type View = keyof typeof VIEWS;

export class Changes implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly connection: Connection) {}

  async show(memory: MemoryAnswer, view: View = 'diff'): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${memory.id.slice(0, 12)}.${view}`, query: JSON.stringify({ id: memory.id, root: memory.root }) });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const argument = JSON.parse(uri.query) as object;
    return uri.path.endsWith('.history')
      ? history(await this.connection.ask<HistoryAnswer>(VIEWS.history, argument))
      : difference(await this.connection.ask<DiffAnswer>(VIEWS.diff, argument));
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

function history(answer: HistoryAnswer): string {
  const lines = answer.events.flatMap((event) => {
    const at = event.revision ? ` at ${event.revision.slice(0, 7)}` : '';
    const marks = [event.undone_by === null ? '' : 'undone', event.rival ? 'at odds' : ''].filter(Boolean).join(', ');
    return [
      `${event.time.slice(0, 16).replace('T', ' ')}  ${event.author}${at}  ${event.what}${marks === '' ? '' : ` (${marks})`}`,
      ...(event.why ? [`    ${event.why.replaceAll('\n', '\n    ')}`] : []),
      ...(event.type === 'evidence' ? [] : event.evidence).map(({ type, value, role }) => `    ${role ? `${role}=` : ''}${type}:${value}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function difference(answer: DiffAnswer): string {
  const parts = answer.anchors.map((anchor) => {
    const place = anchor.symbol === null ? anchor.file : `${anchor.file}#${anchor.symbol}`;
    const lines = anchor.diff === null ? ['The code that was accepted is not kept, so there is nothing to compare with.'] : anchor.diff;
    return [`# ${place}: ${anchor.verdict}`, ...(anchor.detail === '' ? [] : [`# ${anchor.detail}`]), ...(lines.length > 0 ? lines : ['The code is as it was.'])].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}
