// The commands of the palette, the menus and the server's code actions. Each asks what it needs and hands it to the server.
//
// Their ids start with `moorline.ui.`: vscode-languageclient registers the server's own commands (`moorline.record`, ...) under
// the server's names, and a second registration of one name would keep the client from starting.
import * as vscode from 'vscode';
import type { Changes } from './changes';
import type { Connection } from './client';
import { placeUri, type Memories, type Moored } from './memories';
import { askForStep, askKind, askNote, askText, chooseMemory, chooseStep, pickFound, pickMemory, pickOwed, targetOf } from './prompts';
import type { BacklogAnswer, MemoryAnswer, SearchAnswer, Target } from './protocol';
import { firstLine, isStale } from './words';

type Action = (target: Target) => Promise<void>;

export function registerCommands(connection: Connection, memories: Memories, changes: Changes): vscode.Disposable {
  const ask = (command: string, argument: object): Promise<MemoryAnswer> => connection.ask<MemoryAnswer>(command, argument);
  const choose = async (target: Target, title: string, suits?: (moored: Moored) => boolean): Promise<Moored | undefined> => {
    await memories.refresh(); // What is stale is asked about the text as it is now, not as it was at the last pause.
    return chooseMemory(memories, target, title, suits);
  };
  const record = async (target: Target, local: boolean): Promise<void> => {
    if (target.uri === undefined) {
      throw new Error('Open a file and put the cursor on what the memory is about.');
    }
    const where = target.range ? `lines ${target.range.start.line + 1} to ${target.range.end.line + 1}` : 'the symbol at the cursor';
    const title = `Record ${local ? 'a private memory' : 'a memory'} on ${where}`;
    const kind = await askKind(title);
    const text = kind === undefined ? undefined : await askText(title, `The ${kind}, in Markdown. Say why, not only what.`);
    if (kind === undefined || text === undefined) {
      return;
    }
    const answer = await connection.ask<MemoryAnswer & { created?: boolean; retired?: boolean }>('moorline.record', {
      ...place(target),
      kind,
      text,
      ...(local ? { local } : {}),
    });
    if (answer.retired) {
      say(`this ${kind} was retired before, and stays so. Restore it with "moorline restore ${answer.id.slice(0, 12)}".`);
    } else if (answer.created === false) {
      say(`this ${kind} was there already.`);
    }
  };

  const actions: Record<string, Action> = {
    record: (target) => record(target, false),
    recordLocal: (target) => record(target, true),
    clear: async (target) => {
      const chosen = await choose(target, 'Clear staleness of', isStale);
      const note = chosen && (await askNote(`It still holds: ${firstLine(chosen.memory)}`, 'Why it still holds, for the record. May be left empty.'));
      if (chosen && note !== undefined) {
        await ask('moorline.clearStaleness', { ...naming(chosen), ...(note.trim() === '' ? {} : { note }) });
      }
    },
    undoClear: async (target) => {
      const chosen = await choose(target, 'Undo the last clear of');
      if (chosen) {
        await ask('moorline.clearStaleness', { ...naming(chosen), undo: true });
      }
    },
    diff: async (target) => {
      const chosen = await choose(target, 'Show what changed under');
      if (chosen) {
        await changes.show(chosen.memory);
      }
    },
    reanchor: async (target) => {
      const cursor = target.position === undefined ? targetOf(undefined) : target;
      if (cursor.uri === undefined) {
        throw new Error('Open the file and put the cursor on the new place first.');
      }
      // What lies at the cursor already is the least likely to be meant, so the choice is always among all.
      const { id, anchor } = target;
      const chosen = await choose({ ...(id === undefined ? {} : { id }), ...(anchor === undefined ? {} : { anchor }) }, 'Re-anchor at the cursor');
      if (chosen) {
        await ask('moorline.reanchor', { ...naming(chosen), ...place(cursor) });
      }
    },
    supersede: async (target) => {
      const chosen = await choose(target, 'Supersede');
      const text = chosen && (await askText('Supersede a memory', 'What holds from now on. The old text stays in the history.', chosen.memory.text));
      if (chosen && text !== undefined) {
        await ask('moorline.supersede', { ...naming(chosen, false), text });
      }
    },
    retire: async (target) => {
      const chosen = await choose(target, 'Retire');
      const reason = chosen && (await askText(`Retire: ${firstLine(chosen.memory)}`, 'Why it no longer matters.'));
      if (chosen && reason !== undefined) {
        await ask('moorline.retire', { ...naming(chosen, false), reason });
      }
    },
    transition: async (target) => {
      const chosen = await choose(target, 'Change the state of');
      const step = chosen && (await chooseStep(chosen.memory, target.state));
      const answers = chosen && step && (await askForStep(chosen.memory, step));
      if (chosen && step && answers) {
        const { state } = await ask('moorline.transition', { ...naming(chosen, false), state: step.state, ...answers });
        say(`this ${chosen.memory.kind} is now ${state.replaceAll('_', ' ')}.`);
      }
    },
    evidence: async (target) => {
      const chosen = await choose(target, 'Add evidence to');
      const piece = chosen && (await askText('Add evidence', 'commit:SHA, file:PATH:LINES, url:U, test:T or quote:Q.', 'commit:HEAD'));
      if (chosen && piece !== undefined) {
        await ask('moorline.evidence', { ...naming(chosen, false), add: [piece] });
      }
    },
    pin: async (target) => {
      const chosen = await choose(target, 'Pin or unpin');
      if (chosen) {
        await ask('moorline.pin', { ...naming(chosen, false), on: !(chosen.memory.pinned ?? false) });
      }
    },
    undo: async (target) => {
      const chosen = await choose(target, 'Undo the last change of');
      if (chosen) {
        await ask('moorline.undo', naming(chosen, false));
      }
    },
    history: async (target) => {
      const chosen = await choose(target, 'Show the history of');
      if (chosen) {
        await changes.show(chosen.memory, 'history');
      }
    },
    backlog: async () => {
      await memories.refresh();
      const { items } = await connection.ask<BacklogAnswer>('moorline.backlog', {});
      await goTo(await pickOwed(memories, items));
    },
    search: async (target) => {
      const query = await askText('Search memories', 'Words, names or a question. What is stale ranks lower and is not hidden.');
      if (query === undefined) {
        return;
      }
      const here = target.uri !== undefined && target.position !== undefined ? { uri: target.uri, position: target.position } : {};
      const found = await connection.ask<SearchAnswer>('moorline.search', { query, ...here });
      const chosen = await pickFound(query, found.memories);
      await (chosen?.anchor === undefined ? chosen && menu(chosen) : goTo(chosen));
    },
    list: async () => {
      await memories.refresh();
      await goTo(await pickOrSay(memories.moored(), 'All memories', 'no memories here yet.'));
    },
    stale: async () => {
      await memories.refresh();
      await goTo(await pickOrSay(memories.moored().filter(isStale), 'Stale memories', 'nothing is stale.'));
    },
    showMemories: async (target) => {
      await memories.refresh();
      const here = target.ids?.length ? memories.moored().filter(({ memory }) => target.ids?.includes(memory.id)) : at(memories, target);
      const chosen = await pickOrSay(dedupe(here), 'Memories here', 'no memory is moored here.');
      if (chosen) {
        await menu(chosen);
      }
    },
    open: async (target) => {
      const memory = target.id === undefined ? undefined : memories.byId(target.id);
      if (memory) {
        await goTo({ memory, anchor: memory.anchors.find((anchor) => anchor.id === target.anchor) ?? memory.anchors[0] });
      }
    },
    refresh: () => memories.refresh(),
    restart: () => connection.restart(),
    doctor: () => doctor(connection),
    showLog: () => Promise.resolve(connection.log.show()),
  };
  return vscode.Disposable.from(
    ...Object.entries(actions).map(([name, action]) =>
      vscode.commands.registerCommand(`moorline.ui.${name}`, async (argument: unknown) => {
        try {
          await action(targetOf(argument));
        } catch (error) {
          void vscode.window.showErrorMessage(`Moorline: ${error instanceof Error ? error.message : String(error)}`);
        }
      }),
    ),
  );
}

function say(message: string): void {
  void vscode.window.showInformationMessage(`Moorline: ${message}`);
}

/** The part of a target that says where. */
function place({ uri, position, range }: Target): object {
  return { uri, ...(position === undefined ? {} : { position }), ...(range === undefined ? {} : { range }) };
}

/** How the server is told which memory, and which of its anchors. */
function naming({ memory, anchor }: Moored, withAnchor = true): object {
  return {
    id: memory.id,
    ...(memory.root === undefined ? {} : { root: memory.root }),
    ...(withAnchor && anchor !== undefined ? { anchor: anchor.id } : {}),
  };
}

function at(memories: Memories, { uri, position }: Target): Moored[] {
  return uri === undefined || position === undefined ? [] : memories.at(vscode.Uri.parse(uri), position.line);
}

/** Each memory once, by its first anchor. */
function dedupe(all: Moored[]): Moored[] {
  return [...new Map(all.map((moored) => [moored.memory.id, moored] as const).reverse()).values()].reverse();
}

async function pickOrSay(all: Moored[], title: string, nothing: string): Promise<Moored | undefined> {
  if (all.length === 0) {
    say(nothing);
    return undefined;
  }
  return pickMemory(all, title);
}

/** What can be done with one memory, as a list. */
async function menu({ memory, anchor }: Moored): Promise<void> {
  const stale = anchor?.stale ?? memory.stale;
  const choices = [
    ...(stale ? [{ label: '$(check) Clear staleness: it still holds', command: 'clear' }] : []),
    { label: '$(diff) Show what changed', command: 'diff' },
    { label: '$(replace) Supersede it', command: 'supersede' },
    { label: '$(archive) Retire it', command: 'retire' },
    ...((memory.next ?? []).length > 0 ? [{ label: '$(arrow-right) Change its state', command: 'transition' }] : []),
    { label: '$(history) Show its history', command: 'history' },
    { label: '$(discard) Undo the last change', command: 'undo' },
    { label: '$(go-to-file) Go to the place', command: 'open' },
  ];
  const picked = await vscode.window.showQuickPick(choices, { title: `${memory.kind}: ${firstLine(memory)}`, placeHolder: 'What to do with it?' });
  if (picked) {
    await vscode.commands.executeCommand(`moorline.ui.${picked.command}`, { id: memory.id, ...(anchor === undefined ? {} : { anchor: anchor.id }) });
  }
}

/** Shows the place of an anchor; where it is gone, what is left of it. */
async function goTo(moored: Moored | undefined): Promise<void> {
  if (moored === undefined) {
    return;
  }
  const { memory, anchor } = moored;
  const file = anchor?.now?.file ?? anchor?.file;
  if (file === undefined) {
    say('this memory has no place.');
    return;
  }
  const uri = placeUri(memory, file);
  const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  if (document === undefined) {
    say(anchor?.detail || `${file} cannot be opened.`);
    return;
  }
  const line = Math.min(anchor?.now?.start_line ?? 1, document.lineCount) - 1;
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
  if (anchor?.now === null) {
    say(anchor.detail);
  }
}

/** Runs `moorline doctor` in a terminal, with the program that the server was found to be. */
function doctor(connection: Connection): Promise<void> {
  const command = connection.command;
  if (command === undefined) {
    throw new Error('no server was found yet. "Moorline: Restart the Server" searches again.');
  }
  const folder = vscode.workspace.workspaceFolders?.find((candidate) => candidate.uri.scheme === 'file')?.uri;
  const terminal = vscode.window.createTerminal({
    name: 'Moorline doctor',
    shellPath: command.program,
    shellArgs: [...command.args, 'doctor', ...(folder === undefined ? [] : ['--root', folder.fsPath])],
    isTransient: true,
  });
  terminal.show();
  return Promise.resolve();
}
