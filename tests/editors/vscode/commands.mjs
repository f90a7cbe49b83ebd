// The commands that the main story does not use, each through the palette; and a server that dies.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const story = new Story('commands', config.out);
const repository = new Repository('moor-commands-');
const file = basename(repository.file);
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline } });
const window = (story.workbench = await Workbench.open(profile, repository.folder));

const buffer = async () => (await window.ask('text', { file: repository.file })).text;
const place = async (what) => window.goTo(...repository.find(what, await buffer()));
const listed = async () => (await window.ask('run', { command: 'moorline.list', args: [{}] })).memories;
const known = (text) => until(`the memory "${text}"`, async () => (await listed()).find((memory) => memory.text.trim() === text));
const kept = (...folder) => {
  const memories = join(repository.folder, '.moorline', ...folder);
  return readdirSync(memories).map((name) => readFileSync(join(memories, name, 'memory.md'), 'utf8'));
};
const counted = () => until('the count', async () => (await window.status()).includes(`⚓ ${(await listed()).length}`) && window.status());
const record = async (title, kind, text) => {
  await window.command(title);
  await window.pick(kind);
  await window.fill('Say why', text);
  return known(text);
};

await story.step('a private memory is kept apart', async () => {
  await window.openFile(file);
  await until('the status bar', async () => /⚓ 0/.test(await window.status()));
  await place('uri_scheme(');
  await record('Moorline: Record Privately Here', 'note', 'For me alone.');
  expect(kept('local').some((text) => text.includes('For me alone.')), 'it below .moorline/local', kept('local'));
  return kept('local')[0];
});

await story.step('several selected lines are a region', async () => {
  await place('    if path[:2] == "//":');
  await window.press('Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+End');
  const memory = await record('Moorline: Record a Memory Here', 'claim', 'Shares come first.');
  expect(memory.anchors[0].symbol === null && memory.anchors[0].now.end_line - memory.anchors[0].now.start_line === 2, 'three lines', memory.anchors);
  return memory.anchors[0].now;
});

await story.step('an empty text is not taken', async () => {
  await place('uri_with(');
  await window.command('Moorline: Record a Memory Here');
  await window.pick('finding');
  await window.see('.quick-input-widget .quick-input-message:has-text("Say why")');
  await window.press('Space', 'Enter');
  await window.see('.quick-input-message:has-text("Some text is needed")');
  await window.press('Escape');
  return (await listed()).length;
});

await story.step('clear with a note, and undo the clear', async () => {
  await place('def urlparse(');
  const { id } = await record('Moorline: Record a Memory Here', 'decision', 'Each part is decoded.');
  await place('    scheme, netloc, path, params, query, fragment = parse.urlparse(uri)');
  await window.press('End');
  await window.type('[:6]');
  const stale = () => listed().then((memories) => memories.find((memory) => memory.id === id).stale);
  await until('it to be stale', stale);
  await place('def urlparse(');
  await window.command('Moorline: Clear Staleness (It Still Holds)');
  await window.fill('Why it still holds', 'The same six parts.');
  await until('it to be fresh', async () => !(await stale()));
  await window.command('Moorline: Undo a Clear');
  await until('it to be stale again', stale);
  const events = execFileSync('grep', ['-rh', 'The same six parts', join(repository.folder, '.moorline/memories')], { encoding: 'utf8' });
  return events.trim();
});

await story.step('the stale list goes to the place', async () => {
  await window.goTo(1);
  await window.command('Moorline: Show Stale Memories');
  await window.pick('Each part is decoded', 'Stale memories');
  const line = repository.find('def urlparse(', await buffer())[0];
  return until('the cursor to be there', async () => {
    const status = (await window.texts('.statusbar-item')).join(' ');
    return status.includes(`Ln ${line},`) && status;
  });
});

await story.step('supersede', async () => {
  await place('def urlparse(');
  await window.command('Moorline: Supersede a Memory');
  await window.fill('What holds from now on', 'Each part is decoded, and there are six.');
  await known('Each part is decoded, and there are six.');
  const old = (await listed()).filter(({ text }) => text.trim() === 'Each part is decoded.');
  expect(old.length === 0, 'the old one to be gone from the list', old);
  return (await listed()).map(({ text }) => text);
});

await story.step('re-anchor at the cursor', async () => {
  await place('def from_fs_path(');
  await window.command('Moorline: Re-anchor a Memory Here');
  await window.pick('For me alone');
  const memory = await until('its new place', async () => (await listed()).find(({ text, anchors }) => text.startsWith('For me') && anchors[0].symbol === 'from_fs_path'));
  expect(!memory.stale, 'it to be fresh there', memory);
  return memory.anchors[0].now;
});

await story.step('a comment is lifted into a memory', async () => {
  await place('def urlunparse(');
  await window.press('Home');
  await window.type('# MEMORY(decision): The colon of a drive is never quoted.\n');
  const title = await until('the action', async () => {
    const [line, column] = repository.find('MEMORY(decision)', await buffer());
    const actions = await window.ask('actions', { file: repository.file, line: line - 1, character: column });
    return actions.find((action) => /lift/i.test(action.title))?.title;
  });
  await place('MEMORY(decision)');
  await window.press('Control+.');
  await window.see('.action-widget .monaco-list-row.focused');
  await until('the action to have the focus', async () => {
    const row = (await window.texts('.action-widget .monaco-list-row.focused')).join();
    return /lift/i.test(row) || (await window.press('ArrowDown'), false);
  });
  await window.press('Enter');
  const memory = await known('The colon of a drive is never quoted.');
  await until('the comment to be gone', async () => !(await buffer()).includes('MEMORY('));
  expect(memory.anchors[0].symbol === 'urlunparse', 'it on the function below', memory.anchors);
  return title;
});

await story.step('a server that dies is started again by itself', async () => {
  const before = await counted();
  const servers = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match && match[3].endsWith(' lsp') && ancestors(Number(match[2])).includes(window.server.pid));
  expect(servers.length === 1, 'one server for the window', servers.map((match) => match[3]));
  process.kill(Number(servers[0][1]), 'SIGKILL');
  await until('it to be off or new', async () => (await window.status()) !== before || undefined, 3000).catch(() => undefined);
  await until('the count as before', async () => (await window.status()) === before);
  return (await listed()).length;
});

await story.step('restart by hand', async () => {
  const before = await counted();
  await window.command('Moorline: Restart the Server');
  await until('the list', async () => (await listed().catch(() => [])).length > 0);
  return until('the count as before', async () => (await window.status()) === before && before);
});

await story.step('no command failed on the way', async () => {
  const seen = await window.notifications();
  expect(seen.every((text) => !text.includes('Moorline')), 'no message of ours', seen);
  return seen;
});

function ancestors(pid) {
  const found = [];
  for (let now = pid; now > 1; ) {
    found.push(now);
    now = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${now}/status`, 'utf8'))?.[1] ?? 0);
  }
  return found;
}

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
