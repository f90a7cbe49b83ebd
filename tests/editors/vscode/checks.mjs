// A memory whose check the unsaved code contradicts, in VS Code: an error that says both sides, and gone with the edit.
import { basename } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const NAME = 'to_fs_path';
const CALL = 'urlparse(uri)';

const story = new Story('checks', config.out);
const repository = new Repository('moor-checks-');
const file = basename(repository.file);
const made = repository.moorline('record', `${file}#${NAME}`, '--kind', 'decision', '--text', 'It takes the URI apart as the standard does.', '--check', `calls ${file}#${NAME} urlparse`, '--json');
const profile = new Profile({ codeServer: config.codeServer, vsix: config.vsix, env: config.env, settings: { 'moorline.server.command': config.moorline } });
const window = (story.workbench = await Workbench.open(profile, repository.folder));

const buffer = async () => (await window.ask('text', { file: repository.file })).text;
const problems = async () => (await window.ask('problems', { file: repository.file })).filter(({ source }) => source === 'moorline');
const error = async () => (await problems()).find(({ severity }) => severity === 'error');
const hover = async () => {
  await window.goTo(...repository.find(`${NAME}(`, await buffer()));
  return window.hover(`def ${NAME}`, NAME);
};

await story.step('a check that holds is no problem', async () => {
  expect(made.code === 0 && made.json.checks[0].outcome === 'holds', 'the memory with its check', made);
  await window.openFile(file);
  await until('the memory', async () => (await problems()).length === 1);
  expect((await error()) === undefined, 'no error', await problems());
  return problems();
});

await story.step('typed, the code contradicts it: an error with both sides', async () => {
  const lines = (await buffer()).split('\n');
  const start = lines.findIndex((line) => line.includes(`def ${NAME}(`));
  const at = lines.findIndex((line, number) => number > start && line.includes(CALL));
  await window.goTo(at + 1, lines[at].indexOf(CALL) + 1);
  await window.type('x');
  const seen = await until('the error', error);
  expect(seen.code === 'contradicted' && seen.message.includes('urlparse'), 'what it says', seen);
  const shown = await hover();
  expect(shown.includes('urlparse'), 'it in the hover', shown);
  await story.picture('1-contradicted');
  const [listed] = (await window.ask('run', { command: 'moorline.list', args: [{}] })).memories;
  expect(listed.contradicted && listed.checks[0].outcome === 'fails', 'it in the list', listed);
  return seen;
});

await story.step('the command line judges the file as it is saved', async () => {
  expect(repository.moorline('check').code === 0, 'nothing wrong on disk', repository.moorline('check'));
  await window.press('Control+s');
  const checked = await until('the file to be saved', () => {
    const found = repository.moorline('check', '--json');
    return found.code === 1 && found.json;
  });
  return checked.summary;
});

await story.step('undone, it holds again', async () => {
  await until('no error', async () => {
    await window.press('Control+z');
    return (await error()) === undefined;
  });
  return problems();
});

await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
