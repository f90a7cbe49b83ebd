// Files that come, go and change their names (with a dirty buffer too), and a text that would like to be a button.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const story = new Story('files', config.out);
const repository = new Repository('moor-files-');
const file = basename(repository.file);
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline } });
const recorded = repository.moorline('record', `${file}#to_fs_path`, '--kind', 'decision', '--text', 'Shares keep their name.', '--json');
const window = (story.workbench = await Workbench.open(profile, repository.folder));

const at = (name) => join(repository.folder, name);
const place = (name, what = 'to_fs_path(') => {
  const [line, column] = repository.find(what, textOf);
  return { file: at(name), line: line - 1, character: column - 1 };
};
const textOf = repository.text();
const problems = async (name) => (await window.ask('problems', { file: at(name) })).filter(({ source }) => source === 'moorline');
const allProblems = async () => (await window.ask('problems')).filter(({ source }) => source === 'moorline');
const hover = async (name, what) => (await window.ask('hover', place(name, what))).map(({ text }) => text).join('\n');
const saved = (name) => until(`${name} to be saved`, async () => !(await window.ask('text', { file: at(name) })).dirty);
const movedTo = (name) =>
  until(`the memory in ${name}, and nowhere else`, async () => {
    const all = await allProblems();
    return (await hover(name)).includes('Shares keep') && all.length === 1 && all[0].file === at(name) && /^(moved|fresh)$/.test(all[0].code) && all;
  });

await story.step('recorded beforehand, shown on opening', async () => {
  expect(recorded.code === 0, 'moorline record to succeed', recorded);
  await window.openFile(file);
  await window.goTo(...repository.find('to_fs_path('));
  await window.see('.codelens-decoration:has-text("1 decision")');
  return hover(file);
});

await story.step('a file renamed in the explorer, its buffer unsaved, takes its memory along', async () => {
  await window.goTo(1, 1);
  await window.type('# unsaved\n');
  await window.ask('rename', { from: at(file), to: at('renamed.py') });
  await until('the new name', async () => (await window.texts('.tab')).join().includes('renamed.py'));
  await window.goTo(1, 1);
  await window.press('Control+Shift+k'); // Undo would undo the renaming.
  return movedTo('renamed.py');
});

await story.step('and its folder, renamed too', async () => {
  mkdirSync(at('old'));
  await window.ask('rename', { from: at('renamed.py'), to: at('old/renamed.py') });
  await window.ask('rename', { from: at('old'), to: at('new') });
  return movedTo('new/renamed.py');
});

await story.step('a plain mv outside of the editor is followed', async () => {
  await window.press('Control+s');
  await saved('new/renamed.py');
  await window.closeFile(); // As long as it is open, its text is still there.
  renameSync(at('new/renamed.py'), at('outside.py'));
  await window.openFile('outside.py');
  return movedTo('outside.py');
});

await story.step('a stale mark stays when its tab is closed, and goes when the file is deleted', async () => {
  await window.goTo(repository.find('value = path\n', textOf)[0]);
  await window.press('End');
  await window.type(' or "/"');
  await window.press('Control+s');
  await saved('outside.py');
  await until('it to be stale', async () => (await problems('outside.py')).some(({ code }) => code === 'changed'));
  await window.closeFile();
  await until('the mark of the closed file', async () => (await problems('outside.py')).length === 1);
  rmSync(at('outside.py'));
  return until('the verdict of a deleted file', async () => {
    const all = await allProblems();
    return all.every(({ code }) => code !== 'changed') && all;
  });
});

await story.step('retired by another process, nothing is left in the Problems panel', async () => {
  const retired = repository.moorline('retire', recorded.json.id, '--reason', 'gone', '--json');
  expect(retired.code === 0, 'moorline retire to succeed', retired);
  await until('no problems', async () => (await allProblems()).length === 0);
  return until('the count', async () => /⚓ 0/.test(await window.status()) && window.status());
});

await story.step('a text that would be a button, a picture or a link is inert', async () => {
  writeFileSync(at('note.py'), textOf);
  const text = '[ok](command:workbench.action.terminal.new) ![](http://x.invalid/p.png) <img src="http://x.invalid/q.png"> ``` $(check) [f](file:///etc/passwd)';
  const hostile = repository.moorline('record', 'note.py#to_fs_path', '--kind', 'note', '--text', text, '--json');
  expect(hostile.code === 0, 'moorline record to succeed', hostile);
  await window.openFile('note.py');
  await until('the hover', async () => (await hover('note.py')).length > 0);
  await window.goTo(...repository.find('to_fs_path(', textOf));
  await window.hover('def to_fs_path', 'to_fs_path');
  const inside = '.monaco-hover:not(.hidden) .hover-contents';
  const links = await window.page.locator(`${inside} a`).evaluateAll((all) => all.map((link) => link.dataset.href ?? link.getAttribute('href')));
  expect(!links.some((link) => /^(command|file):/.test(link ?? '')), 'no command or file link', links);
  expect((await window.page.locator(`${inside} img`).count()) === 0, 'no picture', await window.texts(inside));
  expect(![...window.strangers].includes('x.invalid'), 'no picture asked for', [...window.strangers]);
  await story.picture('1-hostile');
  return (await window.texts(inside)).join(' ');
});

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
