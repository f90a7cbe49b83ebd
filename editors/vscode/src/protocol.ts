// The shapes that Moorline's server answers with, and the names both sides agree on. No behaviour.
import type { Position, Range } from 'vscode-languageclient/node';

/** Where something is now; lines count from 1, `file` is relative to the workspace's root. */
export interface Place {
  file: string;
  symbol: string | null;
  start_line: number;
  end_line: number;
}

export interface AnchorAnswer {
  id: string;
  file: string;
  symbol: string | null;
  verdict: string;
  stale: boolean;
  reason: string | null;
  detail: string;
  now: Place | null;
  candidates: (Place & { similarity: number })[];
}

export interface MemoryAnswer {
  id: string;
  kind: string;
  state: string;
  /** False once it is retired or superseded. */
  current?: boolean;
  stale: boolean;
  contradicted: boolean;
  text: string;
  anchors: AnchorAnswer[];
  /** The workspace that the memory belongs to: a path or a `file:` URI. */
  root?: string;
  author?: string;
  /** When, in RFC 3339. */
  recorded?: string;
  /** What is still to be done in its state. */
  owed?: string | null;
  pinned?: boolean;
  /** Two people brought it to different states, and nobody has settled it. */
  disputed?: boolean;
  /** The states that it may go to. */
  next?: Step[];
}

/** A state that a memory may go to, and what has to be said for it; `evidence` is how each piece begins. */
export interface Step {
  state: string;
  reason: boolean;
  evidence: string[];
  successor: boolean;
}

export interface ListAnswer {
  version: number;
  memories: MemoryAnswer[];
  root?: string;
}

/** Parameters of the server's `moorline/changed`: something that a view may show is different now. */
export interface ChangedParams {
  root: string;
  revision: number;
  stale: number;
}

export const CHANGED = 'moorline/changed';

/** What a command works on. Every field is optional: what is missing is taken from the cursor, or asked for. */
export interface Target {
  id?: string;
  ids?: string[];
  anchor?: string;
  root?: string;
  /** The state that a memory is to go to. */
  state?: string;
  uri?: string;
  position?: Position;
  range?: Range;
}

/** The commands here that can be run with one `Target`; the server offers them in its code actions and lenses. */
export const CLIENT_COMMANDS = [
  'moorline.ui.record',
  'moorline.ui.clear',
  'moorline.ui.undoClear',
  'moorline.ui.diff',
  'moorline.ui.reanchor',
  'moorline.ui.supersede',
  'moorline.ui.retire',
  'moorline.ui.transition',
  'moorline.ui.showMemories',
] as const;

/** The kinds offered for recording, most used first. */
export const KINDS: readonly (readonly [kind: string, description: string])[] = [
  ['decision', 'what was decided, and why'],
  ['note', 'anything worth knowing here'],
  ['claim', 'a statement about the code that can turn out wrong'],
  ['finding', 'something wrong that was found'],
  ['lesson', 'what was learned the hard way'],
  ['purpose', 'what this code is for'],
];

/** What changed under each anchor of a memory: unified diff lines against the nearest accepted code. */
export interface DiffAnswer {
  anchors: { file: string; symbol: string | null; verdict: string; detail: string; diff: string[] | null }[];
}

/** What happened to a memory, in causal order. */
export interface HistoryAnswer {
  events: {
    type: string;
    time: string;
    author: string;
    revision: string | null;
    what: string;
    why: string | null;
    evidence: { type: string; value: string; role: string | null }[];
    undone_by: string | null;
    rival: boolean;
  }[];
}

/** A memory that a search found; `shown` is as much of its text as fits its rank. */
export interface FoundAnswer extends MemoryAnswer {
  found: { score: number; factors: Record<string, number> };
  shown: { level: string; text: string };
}

export interface SearchAnswer {
  memories: FoundAnswer[];
  omitted: number;
}

/** One thing that is owed, most pressing first, with the command line that settles it. */
export interface OwedItem {
  what: string;
  id: string | null;
  title: string;
  place: string | null;
  detail: string;
  command: string;
}

export interface BacklogAnswer {
  items: OwedItem[];
}
