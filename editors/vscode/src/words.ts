// How a memory is said in one line, in a detail, in a tooltip.
import * as vscode from 'vscode';
import type { MemoryAnswer } from './protocol';
import type { Moored } from './memories';

const LABEL_LENGTH = 80;

/** The first line of the text, cut; control characters never reach a label. */
export function firstLine(memory: MemoryAnswer): string {
  const line = (memory.text.split(/\r?\n/).find((l) => l.trim() !== '') ?? '').replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
  return line.length > LABEL_LENGTH ? `${line.slice(0, LABEL_LENGTH - 1)}…` : line;
}

/** `kind, verdict, what is owed`, or the state where the memory has no place. */
export function standing({ memory, anchor }: Moored): string {
  const verdict = anchor === undefined ? memory.state : anchor.verdict.replace('_', ' ');
  const life = [memory.owed ?? '', memory.disputed ? 'disputed' : '', memory.contradicted ? 'contradicted' : ''];
  return [memory.kind, verdict, ...life].filter(Boolean).join(', ');
}

export function placeName({ anchor }: Moored): string {
  if (anchor === undefined) {
    return 'no place';
  }
  const place = anchor.now ?? anchor;
  if (place.symbol !== null) {
    return place.symbol;
  }
  return anchor.now === null ? anchor.file : `${anchor.now.file}:${anchor.now.start_line}`;
}

export function isStale({ memory, anchor }: Moored): boolean {
  return anchor?.stale ?? (memory.stale || memory.contradicted);
}

/** Escaped text only: what a repository brings must not become a link or a picture. */
export function tooltip(moored: Moored): vscode.MarkdownString {
  const { memory, anchor } = moored;
  const text = new vscode.MarkdownString();
  text.isTrusted = false;
  text.appendText(`${standing(moored)}${memory.author === undefined ? '' : `, by ${memory.author}`}`);
  text.appendMarkdown('\n\n');
  text.appendText(memory.text.slice(0, 2000));
  if (anchor !== undefined && anchor.detail !== '') {
    text.appendMarkdown('\n\n---\n\n');
    text.appendText(anchor.detail);
  }
  return text;
}
