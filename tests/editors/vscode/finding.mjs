// The life of a finding in VS Code: opened on faulty code, fixed, shown as unverified, verified, and the fault that comes back.
import { basename } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const FINDING = 'FILE: in capitals is refused.';
const NAME = 'to_fs_path';
const FAULT = 'value = path\n';
const CURE = 'value = path.lower()';

const story = new Story('finding', config.out);
const repository = new Repository('moor-finding-');
const file = basename(repository.file);
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline } });
const window = (story.workbench = await Workbench.open(profile, repository.folder));

const buffer = async () => (await window.ask('text', { file: repository.file })).text;
const show = async (name = NAME) => window.goTo(...repository.find(`${name}(`, await buffer()));
const problems = async () => (await window.ask('problems', { file: repository.file })).filter(({ source }) => source === 'moorline');
const lenses = async () => (await window.texts('.codelens-decoration')).join(' | ');
const finding = async () => (await window.ask('run', { command: 'moorline.list', args: [{}] })).memories.find(({ kind }) => kind === 'finding');
const hover = async () => {
  await show();
  return window.hover(`def ${NAME}`, NAME);
};

await story.step('a finding is opened on the function', async () => {
  await window.openFile(file);
  await until('the status bar', async () => /⚓ 0/.test(await window.status()));
  await show();
  await window.command('Moorline: Record a Memory Here');
  await window.pick('finding');
  await window.fill('Say why', FINDING);
  const memory = await until('the finding', finding);
  expect(memory.state === 'open', 'it open', memory);
  return memory.next;
});

await story.step('the fix is typed, saved and committed: stale until somebody says so', async () => {
  await window.goTo(repository.find(FAULT)[0]);
  await window.press('End');
  await window.type('.lower()');
  await window.press('Control+s');
  await until('the file to be saved', () => repository.text().includes(CURE));
  repository.commit('Paths in any case');
  return until('it to be stale', async () => (await finding()).stale && problems());
});

await story.step('marked as fixed, it is shown as not verified', async () => {
  await show();
  await window.command('Moorline: Change the State of a Memory');
  await window.pick('fixed unverified');
  await window.fill('Evidence:', 'commit:HEAD');
  const memory = await until('the state', async () => ((await finding()).state === 'fixed_unverified' ? finding() : undefined));
  expect(!memory.stale, 'the fixed code accepted', memory);
  await show();
  await window.see('.codelens-decoration:has-text("the fix is not verified")');
  const seen = await hover();
  expect(/the fix is not verified/i.test(seen) && seen.includes(FINDING), 'it in the hover', seen);
  await story.picture('1-unverified');
  expect((await problems()).some(({ message }) => message.includes('the fix is not verified')), 'it in the problem', await problems());
  return lenses();
});

await story.step('it is owed', async () => {
  await window.command('Moorline: Show What Is Owed');
  await window.see(`.quick-input-list:has-text("${FINDING.slice(0, 20)}")`);
  const seen = (await window.texts('.quick-input-list .monaco-list-row')).join(' | ');
  await window.press('Escape');
  return seen;
});

await story.step('evidence from the right revision verifies it', async () => {
  await show();
  await window.command('Moorline: Change the State of a Memory');
  await window.pick('verified');
  await window.fill('Evidence:', 'fix-verification=test:tests/test_uris.py::test_capitals');
  await until('the state', async () => (await finding()).state === 'verified');
  const seen = await hover();
  expect(seen.includes('test_capitals') && !/not verified/i.test(seen), 'the evidence in the hover', seen);
  const { items } = await window.ask('run', { command: 'moorline.backlog', args: [{}] });
  expect(items.length === 0, 'nothing owed', items);
  return seen;
});

await story.step('the faulty code comes back: regressed, while typing', async () => {
  await window.goTo(repository.find(CURE)[0]);
  await window.press('End');
  for (let i = 0; i < '.lower()'.length; i++) {
    await window.press('Backspace');
  }
  const memory = await until('the reason', async () => ((await finding()).anchors[0].reason === 'regressed' ? finding() : undefined));
  expect(memory.stale, 'it to be stale', memory);
  await story.picture('2-regressed');
  await window.press('Control+z');
  return memory.anchors[0].detail;
});

await story.step('its history tells who did what', async () => {
  await show();
  await window.command('Moorline: Show the History of a Memory');
  await window.see('.tab:has-text(".history")');
  const seen = await until('the text', async () => {
    const text = (await window.texts('.view-line')).join('\n').replaceAll('\u00a0', ' ');
    return text.includes('test_capitals') && text;
  });
  return seen.slice(0, 600);
});

await story.step('no command failed on the way', async () => {
  const seen = await window.notifications();
  expect(seen.every((text) => !/fail|refus|not /i.test(text)), 'no message of failure', seen);
  return seen;
});

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
