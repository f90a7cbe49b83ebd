// Several folders in one window (roots `a` and `b`, and `a/pkg` with a workspace of its own): one client serves them all.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const story = new Story('roots', config.out);
const repository = new Repository('moor-roots-');
const file = basename(config.source);
for (const folder of ['a', 'b', 'c', 'a/pkg']) {
  writeFileSync(join(repository.mkdir(folder), file), repository.text());
  repository.moorline('init', '--root', join(repository.folder, folder));
}
const workspace = join(repository.folder, 'two.code-workspace');
writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'a' }, { path: 'b' }] }));
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline } });
const window = (story.workbench = await Workbench.open(profile, workspace));

const inFolder = (folder) => join(repository.folder, folder, file);
const position = () => {
  const [line, column] = repository.find('to_fs_path(');
  return { line: line - 1, character: column - 1 };
};
const record = (folder, text) =>
  window.ask('run', { command: 'moorline.record', args: [{ uri: `file://${inFolder(folder)}`, position: position(), kind: 'note', text }] });
const kept = (folder) => {
  const memories = join(repository.folder, folder, '.moorline/memories');
  return existsSync(memories) ? readdirSync(memories).map((name) => readFileSync(join(memories, name, 'memory.md'), 'utf8')) : [];
};
const keptOnlyIn = (folder, text) => {
  const where = ['a', 'b', 'c', 'a/pkg'].filter((name) => kept(name).some((memory) => memory.includes(text)));
  expect(where.length === 1 && where[0] === folder, `"${text}" to be kept in ${folder} alone`, where);
  return where[0];
};
const hovers = async (folder) => (await window.ask('hover', { file: inFolder(folder), ...position() })).map(({ text }) => text).join('\n');

await story.step('the client starts for both folders', async () => {
  await until('the status bar', async () => /⚓ 0/.test(await window.status()));
  return window.ask('commands');
});

for (const [folder, what] of [
  ['a', 'one folder'],
  ['b', 'the other folder'],
  ['a/pkg', 'the workspace inside a folder'],
]) {
  await story.step(`a memory of ${what} is kept there`, async () => {
    await record(folder, `Said in ${folder}.`);
    return keptOnlyIn(folder, `Said in ${folder}.`);
  });
  await story.step(`and shown there alone: ${what}`, async () => {
    const seen = await hovers(folder);
    expect(seen.split('Said in').length === 2 && seen.includes(`Said in ${folder}.`), 'one memory', seen);
    return seen;
  });
}

await story.step('a folder that is added takes part, without a restart', async () => {
  await window.ask('addFolder', { folder: join(repository.folder, 'c') });
  await until('the record to be taken', () => record('c', 'Said in c.').catch(() => undefined));
  await until('the count', async () => /⚓ 4\b/.test(await window.status()));
  return keptOnlyIn('c', 'Said in c.');
});

await story.step('a folder that is removed takes its memories with it', async () => {
  await window.ask('removeFolder', { folder: join(repository.folder, 'c') });
  return until('the count', async () => /⚓ 3\b/.test(await window.status()) && window.status());
});

await story.step('the others go on', async () => {
  await record('b', 'Said in b again.');
  return keptOnlyIn('b', 'Said in b again.');
});

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
