// What the server last said about every memory, for the views and the commands. Asked anew, a moment after a change.
import * as fs from 'node:fs';
import * as vscode from 'vscode';
import type { Connection } from './client';
import type { AnchorAnswer, ListAnswer, MemoryAnswer, Place } from './protocol';

/** One anchor of one memory, or a memory that has none. */
export interface Moored {
  memory: MemoryAnswer;
  anchor: AnchorAnswer | undefined;
}

/** Between a change and the question; where answers take long (many memories), so many times as long as the last one. */
const PAUSE_MS = 120;
const PAUSE_FACTOR = 4;

export class Memories implements vscode.Disposable {
  private readonly updated = new vscode.EventEmitter<void>();
  readonly onUpdated = this.updated.event;
  private readonly disposables: vscode.Disposable[] = [this.updated];
  private memories: MemoryAnswer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private round = 0;
  private answerMs = 0;

  constructor(private readonly connection: Connection) {
    this.disposables.push(
      connection.onChanged(() => this.refreshSoon()),
      connection.onRunning((running) => (running ? this.refreshSoon() : this.set([]))),
    );
  }

  get all(): readonly MemoryAnswer[] {
    return this.memories;
  }

  get staleCount(): number {
    return this.memories.filter((memory) => memory.stale || memory.contradicted).length;
  }

  /** Every anchor of every memory; a memory without anchors once. */
  moored(): Moored[] {
    return this.memories.flatMap((memory): Moored[] =>
      memory.anchors.length > 0 ? memory.anchors.map((anchor) => ({ memory, anchor })) : [{ memory, anchor: undefined }],
    );
  }

  /** The anchors whose place holds that line (from 0), the smallest place first. */
  at(uri: vscode.Uri, line: number): Moored[] {
    const size = (place: Place): number => place.end_line - place.start_line;
    return this.moored()
      .filter(({ memory, anchor }) => {
        const now = anchor?.now;
        return now && now.start_line <= line + 1 && line + 1 <= now.end_line && sameFile(placeUri(memory, now.file), uri);
      })
      .sort((a, b) => size(a.anchor?.now as Place) - size(b.anchor?.now as Place));
  }

  byId(id: string): MemoryAnswer | undefined {
    return this.memories.find((memory) => memory.id === id) ?? this.memories.find((memory) => memory.id.startsWith(id));
  }

  /** Asks the server now. Of several answers under way, the one asked last counts. */
  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const round = ++this.round;
    const began = Date.now();
    const answer = await this.connection.ask<ListAnswer>('moorline.list', {});
    this.answerMs = Date.now() - began;
    if (round === this.round) {
      const current = answer.memories.filter((memory) => memory.current !== false);
      this.set(current.map((memory) => (memory.root === undefined && answer.root !== undefined ? { ...memory, root: answer.root } : memory)));
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** A change during the pause is part of the answer to come; the pause is not prolonged, so steady typing starves no view. */
  private refreshSoon(): void {
    this.timer ??= setTimeout(() => {
      this.refresh().catch((error: unknown) => this.connection.log.appendLine(`moorline.list: ${String(error)}`));
    }, Math.max(PAUSE_MS, PAUSE_FACTOR * this.answerMs));
  }

  private set(memories: MemoryAnswer[]): void {
    this.memories = memories;
    this.updated.fire();
  }
}

/** The file of a memory's workspace as VS Code names it. */
export function placeUri(memory: MemoryAnswer, file: string): vscode.Uri {
  return vscode.Uri.joinPath(rootUri(memory.root), file);
}

export function sameFile(a: vscode.Uri, b: vscode.Uri): boolean {
  return process.platform === 'win32' ? a.fsPath.toLowerCase() === b.fsPath.toLowerCase() : a.toString() === b.toString();
}

/** Where the window has the root open through a symbolic link, the name that the window uses. */
function rootUri(root: string | undefined): vscode.Uri {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file').map((folder) => folder.uri);
  if (root === undefined) {
    return folders[0] ?? vscode.Uri.file('/');
  }
  const uri = root.startsWith('file:') ? vscode.Uri.parse(root) : vscode.Uri.file(root);
  return folders.find((folder) => folder.fsPath !== uri.fsPath && realPath(folder.fsPath) === uri.fsPath) ?? uri;
}

const realPaths = new Map<string, string>();

function realPath(path: string): string {
  let real = realPaths.get(path);
  if (real === undefined) {
    try {
      real = fs.realpathSync.native(path);
    } catch {
      real = path;
    }
    realPaths.set(path, real);
  }
  return real;
}
