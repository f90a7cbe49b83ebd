// The Memories view: files, those with stale memories first, and under each its memories.
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Memories, Moored } from './memories';
import { placeUri } from './memories';
import type { Target } from './protocol';
import { firstLine, isStale, placeName, standing, tooltip } from './words';

class FileNode {
  constructor(
    readonly uri: vscode.Uri | undefined,
    readonly children: MemoryNode[],
  ) {}

  get stale(): number {
    return this.children.filter((child) => isStale(child.moored)).length;
  }
}

/** One line of the view. It is a `Target`, so a command of its menu can be run on it as it is. */
class MemoryNode implements Target {
  readonly id: string;
  readonly anchor?: string;
  readonly root?: string;

  constructor(readonly moored: Moored) {
    this.id = moored.memory.id;
    if (moored.anchor !== undefined) {
      this.anchor = moored.anchor.id;
    }
    if (moored.memory.root !== undefined) {
      this.root = moored.memory.root;
    }
  }
}

type Node = FileNode | MemoryNode;

export function registerView(memories: Memories): vscode.Disposable {
  const provider = new Provider(memories);
  const view = vscode.window.createTreeView<Node>('moorline.memories', { treeDataProvider: provider, showCollapseAll: true });
  const onUpdated = memories.onUpdated(() => {
    provider.changed.fire();
    const stale = memories.staleCount;
    view.badge = stale === 0 ? undefined : { value: stale, tooltip: `${stale} stale` };
  });
  return vscode.Disposable.from(view, onUpdated, provider.changed);
}

class Provider implements vscode.TreeDataProvider<Node> {
  readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly memories: Memories) {}

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return byFile(this.memories.moored());
    }
    return node instanceof FileNode ? node.children : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node instanceof FileNode ? fileItem(node) : memoryItem(node);
  }
}

function byFile(all: Moored[]): FileNode[] {
  const files = new Map<string, FileNode>();
  for (const moored of all) {
    const file = moored.anchor?.now?.file ?? moored.anchor?.file;
    const uri = file === undefined ? undefined : placeUri(moored.memory, file);
    const key = uri?.toString() ?? '';
    const node = files.get(key) ?? new FileNode(uri, []);
    files.set(key, node);
    node.children.push(new MemoryNode(moored));
  }
  const line = (node: MemoryNode): number => node.moored.anchor?.now?.start_line ?? 0;
  for (const node of files.values()) {
    node.children.sort((a, b) => Number(isStale(b.moored)) - Number(isStale(a.moored)) || line(a) - line(b));
  }
  return [...files.values()].sort(
    (a, b) => Math.sign(b.stale) - Math.sign(a.stale) || (a.uri?.path ?? '\uffff').localeCompare(b.uri?.path ?? '\uffff'),
  );
}

function fileItem(node: FileNode): vscode.TreeItem {
  const item = new vscode.TreeItem(
    node.uri === undefined ? 'Without a place' : path.posix.basename(node.uri.path),
    vscode.TreeItemCollapsibleState.Expanded,
  );
  const folder = node.uri === undefined ? '' : path.posix.dirname(vscode.workspace.asRelativePath(node.uri));
  item.description = [folder === '.' ? '' : folder, node.stale > 0 ? `${node.stale} stale` : ''].filter(Boolean).join(' · ');
  if (node.uri !== undefined) {
    item.resourceUri = node.uri;
    item.iconPath = vscode.ThemeIcon.File;
  }
  item.id = node.uri?.toString() ?? 'without a place';
  item.contextValue = 'file';
  return item;
}

function memoryItem(node: MemoryNode): vscode.TreeItem {
  const { moored } = node;
  const item = new vscode.TreeItem(placeName(moored));
  const stale = isStale(moored);
  item.description = firstLine(moored.memory);
  item.tooltip = tooltip(moored);
  item.iconPath = stale
    ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
    : new vscode.ThemeIcon(moored.anchor?.verdict === 'unverifiable' ? 'question' : 'bookmark');
  item.contextValue = stale ? 'stale' : 'memory';
  item.command = { command: 'moorline.ui.open', title: 'Go to the Place', arguments: [node] };
  item.accessibilityInformation = { label: `${placeName(moored)}, ${standing(moored)}: ${firstLine(moored.memory)}` };
  return item;
}
