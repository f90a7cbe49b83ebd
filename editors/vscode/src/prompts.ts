// Questions to the user: which memory, which kind, what text. Every one can be left with Escape.
import * as vscode from 'vscode';
import type { Memories, Moored } from './memories';
import { KINDS, type Target } from './protocol';
import { firstLine, isStale, placeName, standing } from './words';

/** What a command was given, or else the cursor of the active editor. */
export function targetOf(argument: unknown): Target {
  const given = readTarget(argument);
  const cursor = cursorTarget();
  if (given === undefined) {
    return cursor;
  }
  const placeIsOpen = given.uri !== undefined && given.uri === cursor.uri && given.position === undefined && given.range === undefined;
  return placeIsOpen ? { ...cursor, ...given } : given;
}

function cursorTarget(): Target {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== 'file') {
    return {};
  }
  const { start, end, active } = editor.selection;
  const target: Target = { uri: editor.document.uri.toString(), position: { line: active.line, character: active.character } };
  if (end.line > start.line) {
    // Several selected lines are meant as a region; a selection inside a line is only a cursor.
    target.range = { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
  }
  return target;
}

/** The argument as a target; undefined for anything else that VS Code hands to a command, such as the file of an editor. */
function readTarget(argument: unknown): Target | undefined {
  if (typeof argument !== 'object' || argument === null || argument instanceof vscode.Uri) {
    return undefined;
  }
  const { id, uri } = argument as Record<string, unknown>;
  return typeof id === 'string' || typeof uri === 'string' ? (argument as Target) : undefined;
}

/** The memory that is meant: the given one, that at the cursor, or one that the user picks. */
export async function chooseMemory(
  memories: Memories,
  target: Target,
  title: string,
  suits: (moored: Moored) => boolean = () => true,
): Promise<Moored | undefined> {
  if (target.id !== undefined) {
    const memory = memories.byId(target.id);
    if (memory === undefined) {
      throw new Error(`No memory ${target.id} is here any more.`);
    }
    const anchor = memory.anchors.find((candidate) => candidate.id === target.anchor);
    return { memory, anchor };
  }
  const here =
    target.uri === undefined || target.position === undefined ? [] : memories.at(vscode.Uri.parse(target.uri), target.position.line).filter(suits);
  const [only, another] = here;
  if (only !== undefined && another === undefined) {
    return only;
  }
  const all = here.length > 0 ? here : memories.moored().filter(suits);
  if (all.length === 0) {
    void vscode.window.showInformationMessage(`Moorline: nothing to choose from: ${title.toLowerCase()}.`);
    return undefined;
  }
  return pickMemory(all, title);
}

export async function pickMemory(all: readonly Moored[], title: string): Promise<Moored | undefined> {
  const items = [...all]
    .sort((a, b) => Number(isStale(b)) - Number(isStale(a)))
    .map((moored) => ({
      label: `${isStale(moored) ? '$(warning)' : '$(bookmark)'} ${plain(firstLine(moored.memory))}`,
      description: `${placeName(moored)} · ${standing(moored)}`,
      detail: moored.anchor?.detail ? plain(moored.anchor.detail) : moored.anchor?.file ?? '',
      moored,
    }));
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: 'Type to filter', matchOnDescription: true, matchOnDetail: true });
  return picked?.moored;
}

export async function askKind(title: string): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick(
    KINDS.map(([label, description]) => ({ label, description })),
    { title, placeHolder: 'What kind of memory?' },
  );
  return picked?.label;
}

/** A text that must not be empty; undefined where the user leaves. */
export async function askText(title: string, prompt: string, value = ''): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'Some text is needed; Escape leaves everything as it is.' : undefined),
  });
}

/** A text that may be empty; undefined where the user leaves. */
export async function askNote(title: string, prompt: string): Promise<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
}

/** Text in which `$(name)` stays text and is no icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
