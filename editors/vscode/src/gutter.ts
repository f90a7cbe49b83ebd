// Marks beside the lines that memories are moored to.
import * as vscode from 'vscode';
import { placeUri, sameFile, type Memories } from './memories';
import { isStale } from './words';

export function registerGutter(context: vscode.ExtensionContext, memories: Memories): vscode.Disposable {
  const fresh = decoration(context, 'anchor-fresh.svg');
  const stale = decoration(context, 'anchor-stale.svg', {
    overviewRulerColor: new vscode.ThemeColor('moorline.staleForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  const draw = (): void => {
    const wanted = vscode.workspace.getConfiguration('moorline').get('gutter', true);
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = wanted ? markedLines(memories, editor.document) : new Map<number, boolean>();
      const ranges = (staleOnes: boolean): vscode.Range[] =>
        [...lines].filter(([, isStaleLine]) => isStaleLine === staleOnes).map(([line]) => new vscode.Range(line, 0, line, 0));
      editor.setDecorations(fresh, ranges(false));
      editor.setDecorations(stale, ranges(true));
    }
  };
  return vscode.Disposable.from(
    fresh,
    stale,
    memories.onUpdated(draw),
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('moorline.gutter') && draw()),
  );
}

function decoration(context: vscode.ExtensionContext, icon: string, more: vscode.DecorationRenderOptions = {}): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.joinPath(context.extensionUri, 'media', icon),
    gutterIconSize: 'contain',
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    ...more,
  });
}

/** Lines (from 0) with memories, and whether one of them is stale. */
function markedLines(memories: Memories, document: vscode.TextDocument): Map<number, boolean> {
  const lines = new Map<number, boolean>();
  if (document.uri.scheme !== 'file') {
    return lines;
  }
  for (const moored of memories.moored()) {
    const now = moored.anchor?.now;
    if (now && sameFile(placeUri(moored.memory, now.file), document.uri)) {
      const line = Math.min(now.start_line, document.lineCount) - 1;
      lines.set(line, (lines.get(line) ?? false) || isStale(moored));
    }
  }
  return lines;
}
