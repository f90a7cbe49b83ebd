// The main story in VS Code: record, see, drift while typing, undo, rename, save, clear, restart, other processes, branches.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { Neovim } from './neovim.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';

const DECISION = 'UNC paths keep their server name: dropping it broke Windows shares once.';
const AGENTS = 'Agents note things too.';
const NOTE = 'Only file URIs come through here.';
const NAME = 'to_fs_path';
const RENAMED = 'fs_path_of';
const EDITED = 'value = path\n';

const story = new Story('story', config.out);
const repository = new Repository();
const file = basename(repository.file);
const original = repository.text();
const profile = new Profile({
  codeServer: config.codeServer,
  vsix: config.vsix,
  env: config.env,
  settings: { 'moorline.server.command': config.moorline },
});
let window = (story.workbench = await Workbench.open(profile, repository.folder));

const position = (what, text) => {
  const [line, column] = repository.find(what, text);
  return { file: repository.file, line: line - 1, character: column - 1 };
};
const problems = async () => (await window.ask('problems', { file: repository.file })).filter(({ source }) => source === 'moorline');
const staleOnes = async () => (await problems()).filter(({ severity }) => severity === 'warning' || severity === 'error');
const buffer = () => window.ask('text', { file: repository.file });
const lenses = async () => (await window.texts('.codelens-decoration')).join(' | ');
/** Brings the definition into sight: what is out of sight has no lens and no squiggle in the page. */
const show = async (name) => window.goTo(...repository.find(`${name}(`, (await buffer()).text));
const hover = async (name) => {
  await show(name);
  return window.hover(`def ${name}`, name);
};
const nothingStale = (what) =>
  until(what, async () => (await staleOnes()).length === 0 && !(await window.status()).includes('stale') && !(await lenses()).includes('stale'));
const somethingStale = (what) =>
  until(what, async () => {
    const [problem] = await staleOnes();
    return problem && (await window.status()).includes('1 stale') && (await lenses()).includes('stale') && problem;
  });
const staleInBothPanels = async () => {
  await window.see('.squiggly-warning');
  await window.see('.markers-panel .monaco-list-row .marker-icon.warning, .markers-panel .monaco-list-row .codicon-warning');
  return (await window.texts('.markers-panel .monaco-list-row')).join(' | ');
};

await story.step('the extension finds the server and starts it', async () => {
  await window.openFile(file);
  return until('the status bar to count memories', async () => /⚓ 0/.test(await window.status()) && window.status());
});

await story.step('record a decision through the palette, the quick pick and the input box', async () => {
  await show(NAME);
  await window.command('Moorline: Record a Memory Here');
  await window.pick('decision', 'Record a memory');
  await window.fill('Say why', DECISION);
  await window.see('.codelens-decoration:has-text("1 decision")');
  await until('the count', async () => /⚓ 1\b/.test(await window.status()));
  return lenses();
});

await story.step('the decision is a text file in the repository', () => {
  const memories = join(repository.folder, '.moorline/memories');
  const texts = readdirSync(memories).map((folder) => readFileSync(join(memories, folder, 'memory.md'), 'utf8'));
  expect(texts.length === 1 && texts[0].includes(DECISION), 'one memory.md with the text', texts);
  return texts[0];
});

await story.step('the gutter has a mark', async () => {
  await window.see('.monaco-editor [class*="TextEditorDecorationType"]');
  return window.page.locator('.monaco-editor [class*="TextEditorDecorationType"]').count();
});

await story.step('hover shows it, as text that is not trusted', async () => {
  const seen = await hover(NAME);
  expect(seen.includes(DECISION), 'the text in the hover', seen);
  const parts = await window.ask('hover', position(`${NAME}(uri`));
  expect(parts.every(({ trusted, html }) => !trusted && !html), 'no trusted part', parts);
  await story.picture('1-hover');
  return seen;
});

await story.step('editing the body makes it stale while typing', async () => {
  await window.press('Control+Shift+m');
  await window.see('.markers-panel');
  await window.goTo(repository.find(EDITED)[0]);
  await window.press('End');
  await window.type(' or "/"');
  await show(NAME);
  const problem = await somethingStale('the edited decision to be stale');
  expect(problem.code === 'changed' && problem.line === position(`${NAME}(uri`).line, 'a problem on the name', problem);
  expect((await buffer()).dirty, 'the buffer is not saved', await buffer());
  return `${await staleInBothPanels()}; ${await window.status()}; ${await lenses()}`;
});

await story.step('hover says why, with the difference', async () => {
  await window.press('Control+b'); // The side bar would only take room.
  await show(NAME);
  const seen = await window.hoverPicture(`def ${NAME}`, NAME, join(config.out, 'story-2-stale.png'));
  await window.press('Escape', 'Control+b');
  expect(seen.includes(DECISION) && seen.includes('or "/"'), 'the text and the changed line', seen);
  return seen;
});

await story.step('undo makes it fresh again', async () => {
  await until('the original text', async () => {
    await window.press('Control+z');
    return (await buffer()).text === original;
  });
  await show(NAME);
  await nothingStale('the undone decision to be fresh');
  return window.status();
});

await story.step('renaming the function is followed', async () => {
  await show(NAME);
  await window.press('Control+F2');
  await window.type(RENAMED);
  await window.press('Escape');
  await until('the new name', async () => (await buffer()).text.includes(`def ${RENAMED}(`));
  await until('the verdict', async () => (await problems()).some(({ code }) => code === 'moved'));
  await nothingStale('the renamed decision to be fresh');
  const seen = await hover(RENAMED);
  expect(seen.includes(DECISION), 'the text in the hover of the new name', seen);
  await window.press('Control+s');
  await until('the file to be saved', () => repository.text().includes(`def ${RENAMED}(`));
  return `${JSON.stringify(await problems())}; ${await lenses()}`;
});

await story.step('an edit that is saved stays stale, for the command line too', async () => {
  await window.goTo(repository.find(EDITED)[0]);
  await window.press('End');
  await window.type(' or "/"');
  await window.press('Control+s');
  await until('the file to be saved', () => repository.text().includes('or "/"'));
  await show(RENAMED);
  await somethingStale('the saved decision to be stale');
  const check = repository.moorline('check', '--json');
  expect(check.code === 1 && check.json.memories.some(({ stale }) => stale), 'moorline check to fail', check);
  return check.json.summary;
});

await story.step('what changed is shown in a document', async () => {
  await show(RENAMED);
  await window.command('Moorline: Show What Changed');
  await window.see('.tab:has-text(".diff")');
  await window.see('.view-line:has-text("+            value = path or")');
  await window.press('Escape');
  return (await window.texts('.tab')).join(' | ');
});

await story.step('the quick fix clears it', async () => {
  await window.page.locator('.tab', { hasText: file }).first().click();
  await show(RENAMED);
  await window.press('Control+.');
  await window.see('.action-widget .monaco-list-row.focused:has-text("clear")'); // The preferred one.
  const titles = await window.texts('.action-widget .monaco-list-row');
  await story.picture('3-actions');
  await window.press('Enter');
  await nothingStale('the cleared decision to be fresh');
  const check = repository.moorline('check', '--json');
  expect(check.code === 0, 'moorline check to pass', check);
  return titles.join(' | ');
});

await story.step('the lens lists the memories, with what can be done', async () => {
  await window.page.locator('.codelens-decoration a', { hasText: '1 decision' }).first().click();
  await window.see('.quick-input-list .monaco-list-row:has-text("UNC paths")');
  await window.press('Enter');
  await window.see('.quick-input-list .monaco-list-row:has-text("Retire it")');
  const seen = await window.texts('.quick-input-list .monaco-list-row');
  await window.press('Escape');
  return seen.join(' | ');
});

await story.step('the Memories view lists it by file', async () => {
  await window.page.locator('.activitybar .action-label[aria-label^="Moorline"]').first().click({ force: true });
  await window.see('.pane-body .monaco-list-row:has-text("UNC paths")');
  await story.picture('4-view');
  return (await window.texts('.sidebar .monaco-list-row')).join(' | ');
});

await story.step('after a restart of editor and server everything is still there', async () => {
  await window.close();
  window = story.workbench = await Workbench.open(profile, repository.folder);
  await window.openFile(file);
  await show(RENAMED);
  await window.see('.codelens-decoration:has-text("1 decision")');
  await until('the count', async () => /⚓ 1\b/.test(await window.status()));
  const seen = await hover(RENAMED);
  expect(seen.includes(DECISION), 'the text in the hover', seen);
  expect((await staleOnes()).length === 0, 'nothing stale', await problems());
  return seen;
});

await story.step('what another process records appears by itself', async () => {
  const recorded = repository.moorline('record', `${file}#uri_scheme`, '--kind', 'note', '--text', NOTE, '--json');
  expect(recorded.code === 0, 'moorline record to succeed', recorded);
  await window.goTo(repository.find('def uri_scheme')[0]);
  await window.see('.codelens-decoration:has-text("1 note")', 10_000);
  await until('the count', async () => /⚓ 2\b/.test(await window.status()));
  return lenses();
});

await story.step('what an agent records over MCP appears by itself', async () => {
  const [python] = config.moorline;
  execFileSync(python, [config.overMcp, repository.folder, `${file}#uri_with`, AGENTS], { env: { ...process.env, ...config.env } });
  await window.goTo(repository.find('def uri_with')[0]);
  await until('the count', async () => /⚓ 3\b/.test(await window.status()));
  const seen = await window.hover('def uri_with', 'uri_with');
  expect(seen.includes(AGENTS) && seen.includes('agent:robot'), 'the note as the agent\'s', seen);
  const { memories } = await window.ask('run', { command: 'moorline.list', args: [{}] });
  expect(repository.moorline('retire', memories.find(({ text }) => text.trim() === AGENTS).id, '--reason', 'an experiment').code === 0, 'it retired');
  await until('the count as before', async () => /⚓ 2\b/.test(await window.status()));
  return seen;
});

await story.step('a branch switch makes it stale, and back fresh', async () => {
  repository.commit('A decision and a note');
  repository.git('checkout', '-q', '-b', 'other');
  writeFileSync(repository.file, repository.text().replace('or "/"', 'or "/elsewhere"'));
  repository.commit('Another way');
  await show(RENAMED);
  const problem = await somethingStale('the decision to be stale on the other branch');
  repository.git('checkout', '-q', 'main');
  await until('the text of the branch', async () => !(await buffer()).text.includes('/elsewhere'));
  await nothingStale('the decision to be fresh on the branch it was cleared on');
  return problem.message;
});

if (config.nvim) {
  const neovim = await Neovim.open({ ...config, folder: repository.folder, file });
  await story.step('what is recorded in Neovim appears here', async () => {
    await neovim.run(`call cursor(${repository.find('uri_with(').join(', ')})`);
    await neovim.run('Moorline record', { pick: 'decision', answer: 'Parts that are not given keep their old value.' });
    await window.goTo(repository.find('def uri_with')[0]);
    await window.see('.codelens-decoration:has-text("1 decision")', 15_000);
    return until('the count', async () => /⚓ 3\b/.test(await window.status()) && window.status());
  });
  await story.step('what is recorded here appears in Neovim', async () => {
    await window.goTo(...repository.find('urlunparse(parts'));
    await window.command('Moorline: Record a Memory Here');
    await window.pick('note', 'Record a memory');
    await window.fill('Say why', 'The colon of a drive is never quoted.');
    return until('the note in Neovim', async () => (await neovim.problems()).find(({ message }) => message.includes('colon of a drive')), 15_000);
  });
  await story.step('a branch switch is seen by both editors, and back', async () => {
    repository.commit('Recorded in two editors');
    repository.git('checkout', '-q', 'other');
    const stale = await until('both to be stale', async () => {
      await neovim.run('checktime');
      const there = (await neovim.problems()).filter(({ code }) => code === 'changed');
      const here = await staleOnes();
      return there.length > 0 && here.length > 0 && [there[0].message, here[0].message];
    });
    repository.git('checkout', '-q', 'main');
    await until('both to be fresh', async () => {
      await neovim.run('checktime');
      return (await neovim.problems()).every(({ code }) => code !== 'changed') && (await staleOnes()).length === 0;
    });
    return stale.join(' | ');
  });
  await neovim.close();
}

await story.step('retiring it with a reason takes its marks away', async () => {
  const before = await window.status();
  await show(RENAMED);
  await window.command('Moorline: Retire a Memory');
  await window.fill('Why it no longer matters', 'The shares are gone.');
  await until('its marks to go', async () => !(await problems()).some(({ line }) => line === position(`${RENAMED}(uri`).line));
  return until('the count', async () => /⚓ \d/.test(await window.status()) && !(await window.status()).includes(before) && window.status());
});

await story.step('nothing outside this machine was asked for', () => {
  expect(window.strangers.size === 0, 'no other host', [...window.strangers]);
});

await story.picture('9-end');
await window.close();
profile.remove();
repository.remove();
process.exit(story.end());
