// Markers in VS Code on a real folder of decision records: accepted, followed, typed, mended, renamed, by its own keys.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const RECORDS = join(import.meta.dirname, '..', '..', 'support', 'import_samples', 'adr', 'theupdateframework__python-tuf', 'docs');
const PAGE = '0006-where-to-implemenent-model-serialization.md';
const NAME = 'to_fs_path';
const WORDS = 'Chosen option: "Compromise 2"';

const story = new Story('markers', config.out);
const repository = new Repository('moor-markers-');
const file = basename(repository.file);
cpSync(RECORDS, join(repository.folder, 'docs'), { recursive: true });
const page = join(repository.folder, 'docs', 'adr', PAGE);
const marker = `@anchor(file=${file}, symbol=${NAME})`;
writeFileSync(page, readFileSync(page, 'utf8').replace(WORDS, `${WORDS} ${marker}`));
repository.commit('Records');
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline, 'editor.suggestOnTriggerCharacters': true, 'editor.acceptSuggestionOnCommitCharacter': false, 'editor.acceptSuggestionOnEnter': 'off', 'editor.autoClosingBrackets': 'never' } });
const window = (story.workbench = await Workbench.open(profile, repository.folder));

const text = async (path = page) => (await window.ask('text', { file: path })).text;
const show = async (what, inside = 0) => {
  const [line, column] = repository.find(what, await text());
  await window.goTo(line, column + inside);
};
const codes = async (path = page) => (await window.ask('problems', { file: path })).filter(({ source }) => source === 'moorline').map(({ code }) => code).sort().join(' ');
const shown = (wanted, path = page) => until(`the problems to be ${wanted}`, async () => (await codes(path)) === wanted);
const active = async () => (await window.texts('.tab.active')).join(' ');
const fix = async (title) => {
  const entry = `.action-widget .monaco-list-row:has-text("${title}")`;
  await until(`the action ${title}`, async () => {
    await window.press('Escape', 'Control+.');
    return window.see(entry, 2000).then(() => true, () => false);
  });
  await until(`${title} to be chosen`, async () => {
    if ((await window.texts('.action-widget .monaco-list-row.focused')).join().includes(title)) {
      return true;
    }
    await window.press('ArrowDown');
    return false;
  });
  await window.press('Enter');
};

await story.step('a marker that nobody accepted says so', async () => {
  await window.openFile(PAGE);
  await until('the status bar', async () => /⚓/.test(await window.status()));
  await shown('unverifiable');
});

await story.step('its quick fix accepts the code', async () => {
  await show(marker, 3);
  await fix('Still true: clear passage');
  await shown('fresh');
  const [memory] = repository.moorline('check', '--json').json.memories;
  expect(memory.kind === 'passage' && memory.anchors[0].verdict === 'fresh', 'it in the ledger', memory);
});

await story.step('F12 on the marker goes to the code, whose hover has the words', async () => {
  await show(marker, 3);
  await window.press('F12');
  await until('the code', async () => (await active()).includes(file));
  await shown('fresh', repository.file);
  await window.goTo(...repository.find(`${NAME}(`));
  const seen = await window.hover(`def ${NAME}`, NAME);
  expect(seen.includes('because implementing dict conversion as methods') && seen.includes(PAGE), 'the passage and its document', seen);
  return seen;
});

await story.step('Shift+F12 on the code goes to the only reference, its marker', async () => {
  await window.goTo(...repository.find(`${NAME}(`));
  await window.press('Shift+F12');
  await until('the page', async () => (await active()).includes(PAGE));
});

await story.step('the code is edited and not saved: the document says so at its marker', async () => {
  const before = await text(repository.file);
  await window.openFile(file);
  await window.goTo(repository.find('scheme, netloc, path, _, _, _', before)[0]);
  await window.press('End');
  await window.type('[:6]');
  await shown('changed');
  await until('the code as it was', async () => {
    await window.press('Control+z');
    return (await text(repository.file)) === before;
  });
  await shown('fresh');
});

await story.step('files and symbols are offered while a marker is typed', async () => {
  await window.openFile(PAGE);
  await window.press('Control+End', 'Enter');
  await window.type('Paths are apart @anchor(file=');
  await window.see('.suggest-widget.visible .monaco-list-row');
  await window.type('uris');
  await window.see(`.suggest-widget.visible .monaco-list-row.focused:has-text("${file}")`);
  await window.press('Tab');
  await window.type(', symbol=');
  await window.see('.suggest-widget.visible .monaco-list-row');
  await window.type('from_fs');
  await window.see('.suggest-widget.visible .monaco-list-row.focused:has-text("from_fs_path")');
  await window.press('Tab');
  await window.type(').');
  await until('the whole marker', async () => (await text()).includes(`@anchor(file=${file}, symbol=from_fs_path)`));
  await shown('fresh unverifiable');
});

await story.step('a wrong name is mended by its quick fix', async () => {
  await window.press('Control+End', 'Enter');
  await window.type(`And back @anchor(file=${file}, symbol=urlpars`);
  await window.press('Escape');
  await window.type(')');
  // Before the bracket comes, the marker is as wrong.
  await until('what was typed', async () => (await text()).includes('symbol=urlpars)'));
  await shown('fresh marker unverifiable');
  await show('urlpars)', 2);
  await fix('Write urlparse instead');
  await until('the mended marker', async () => (await text()).includes(`@anchor(file=${file}, symbol=urlparse)`));
});

await story.step('F2 renames what markers say', async () => {
  await show('symbol=from_fs_path', 9);
  await window.press('F2');
  const input = await window.see('.rename-box input');
  await input.fill('from_path');
  await window.press('Enter');
  await until('the new name', async () => (await text()).includes('symbol=from_path)'));
  expect((await text(repository.file)).includes('def from_fs_path'), 'the code as it was', 'renamed');
});

await story.step('renaming the file changes every marker', async () => {
  await window.press('Control+s');
  const renamed = window.ask('rename', { from: repository.file, to: join(repository.folder, 'paths.py') });
  await (await window.see('.monaco-dialog-box .monaco-button:has-text("OK")')).click(); // VS Code asks before others join in.
  await renamed;
  await until('the new file in the markers', async () => (await text()).split('@anchor(file=paths.py').length === 4);
  return until('the passage to go on', async () => /fresh/.test(await codes()) && codes());
});

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
