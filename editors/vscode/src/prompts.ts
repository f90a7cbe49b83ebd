// Questions to the user: which memory, which kind, what text. Every one can be left with Escape.
import * as vscode from 'vscode';
import type { Memories, Moored } from './memories';
import { KINDS, type FoundAnswer, type MemoryAnswer, type OwedItem, type Step, type Target } from './protocol';
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

/** One of what is owed; the memory it is about, where it is about one that is known here. */
export async function pickOwed(memories: Memories, items: readonly OwedItem[]): Promise<Moored | undefined> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage('Moorline: nothing is owed.');
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    items.map((item) => ({ label: plain(item.title), description: `${item.what}${item.place ? ` · ${item.place}` : ''}`, detail: plain(item.detail || item.command), item })),
    { title: 'What is owed, most pressing first', placeHolder: 'Type to filter', matchOnDescription: true, matchOnDetail: true },
  );
  const memory = picked?.item.id ? memories.byId(picked.item.id) : undefined;
  return memory && { memory, anchor: memory.anchors.find(({ stale }) => stale) ?? memory.anchors[0] };
}

/** One of the memories that a search found, in the server's order, the best first. */
export async function pickFound(query: string, found: readonly FoundAnswer[]): Promise<Moored | undefined> {
  if (found.length === 0) {
    void vscode.window.showInformationMessage('Moorline: nothing found. The question is kept in the backlog until something answers it.');
    return undefined;
  }
  const items = found.map((memory) => {
    const moored: Moored = { memory, anchor: memory.anchors.find(({ stale }) => stale) ?? memory.anchors[0] };
    return {
      label: `${isStale(moored) ? '$(warning)' : '$(bookmark)'} ${plain(firstLine(memory))}`,
      description: `${placeName(moored)} · ${standing(moored)}`,
      detail: plain(memory.shown.text),
      moored,
    };
  });
  const picked = await vscode.window.showQuickPick(items, { title: `Found for "${plain(query)}"`, placeHolder: 'Type to filter', matchOnDescription: true, matchOnDetail: true });
  return picked?.moored;
}

/** What was said for a step. */
export interface StepAnswers {
  evidence?: string[];
  by?: string;
  reason?: string;
}

/** The step to take: the named one, or one that the user picks; undefined where there is none or the user leaves. */
export async function chooseStep(memory: MemoryAnswer, state: string | undefined): Promise<Step | undefined> {
  const steps = memory.next ?? [];
  if (state !== undefined) {
    return steps.find((step) => step.state === state) ?? { state, reason: false, evidence: [], successor: false };
  }
  if (steps.length === 0) {
    void vscode.window.showInformationMessage(`Moorline: a ${memory.kind} that is ${spaced(memory.state)} stays so.`);
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    steps.map((step) => ({ label: spaced(step.state), step })),
    { title: `${memory.kind}: ${firstLine(memory)}`, placeHolder: `It is ${spaced(memory.state)}; from now on?` },
  );
  return picked?.step;
}

/** Asks what a step needs, one question after the other; undefined where the user leaves. */
export async function askForStep(memory: MemoryAnswer, step: Step): Promise<StepAnswers | undefined> {
  const title = `${firstLine(memory)}: ${spaced(step.state)}`;
  const answers: StepAnswers = {};
  for (const start of step.evidence) {
    const piece = await askText(title, 'Evidence: commit:SHA, file:PATH:LINES, url:U, test:T or quote:Q.', start);
    if (piece === undefined) {
      return undefined;
    }
    answers.evidence = [...(answers.evidence ?? []), piece];
  }
  if (step.successor) {
    const id = await askText(title, 'The id of the memory that takes over.');
    if (id === undefined) {
      return undefined;
    }
    answers.by = id;
  }
  if (step.reason) {
    const reason = await askText(title, 'Why?');
    if (reason === undefined) {
      return undefined;
    }
    answers.reason = reason;
  }
  return answers;
}

function spaced(state: string): string {
  return state.replaceAll('_', ' ');
}

/** Text in which `$(name)` stays text and is no icon. */
function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
