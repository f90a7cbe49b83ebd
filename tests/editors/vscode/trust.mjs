// A workspace that brings a server of its own: not run before it is trusted, whatever its settings and folders say.
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { config, Repository } from './config.mjs';
import { expect, Story } from './steps.mjs';
import { Profile, until, Workbench } from './workbench.mjs';
import { setTimeout as sleep } from 'node:timers/promises';

const story = new Story('trust', config.out);
const repository = new Repository('moor-trust-');
const ran = join(repository.folder, 'ran');
const bin = repository.mkdir('.venv', 'bin');
const own = join(bin, 'moorline');
const command = [...config.moorline.map((part) => `'${part}'`), '"$@"'].join(' ');
writeFileSync(own, `#!/bin/sh\ntouch '${ran}'\nexec ${command}\n`);
chmodSync(own, 0o755);
writeFileSync(join(repository.mkdir('.vscode'), 'settings.json'), JSON.stringify({ 'moorline.server.command': [own] }));
const empty = repository.mkdir('nothing-here');
const node = join(process.execPath, '..');

const profileOf = (trust) =>
  new Profile({
    codeServer: config.codeServer,
    vsix: config.vsix,
    trust,
    // A PATH on which no Moorline is, so that only the workspace's own could be found.
    env: { ...config.env, PATH: [node, '/usr/bin', '/bin', empty].join(':') },
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
  });

const wary = profileOf(false);
let window = (story.workbench = await Workbench.open(wary, repository.folder));

await story.step('the workspace is not trusted', async () => {
  const trusted = await window.ask('trusted');
  expect(trusted === false, 'no trust', trusted);
});

await story.step('no server is found, and one message says how to install it', async () => {
  await window.see('.notification-list-item-message:has-text("pipx install moorline")');
  const seen = await window.notifications();
  expect(seen.filter((text) => text.includes('Moorline')).length === 1, 'one message', seen);
  const buttons = await window.texts('.notification-list-item-buttons-container .monaco-button');
  expect(buttons.includes('Retry') && buttons.includes('Open Setting'), 'the buttons', buttons);
  await until('the status bar', async () => (await window.status()).includes('off'));
  await story.picture('1-not-found');
  return seen.join(' | ');
});

await story.step('a command says what to do', async () => {
  await window.openFile(basename(repository.file));
  await window.command('Moorline: List All Memories');
  await window.see('.notification-list-item-message:has-text("server is not running")');
  return (await window.notifications()).join(' | ');
});

await story.step('the server of the workspace was not run', async () => {
  await sleep(1000);
  expect(!existsSync(ran), 'no trace of it', ran);
});

await window.close();
wary.remove();

rmSync(join(repository.folder, '.vscode'), { recursive: true });
const trusting = profileOf(true);
window = story.workbench = await Workbench.open(trusting, repository.folder);
await story.step('once trusted, the virtual environment of the workspace is used', async () => {
  await until('the status bar', async () => /⚓ 0/.test(await window.status()));
  expect(existsSync(ran), 'its trace', ran);
  return window.status();
});
await window.close();
trusting.remove();
repository.remove();
process.exit(story.end());
