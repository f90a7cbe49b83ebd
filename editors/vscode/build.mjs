// Bundles the extension into dist/extension.js, and beside it the licences of the packages that are in the bundle.
import { build } from 'esbuild';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const result = await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  external: ['vscode'],
  metafile: true,
  logLevel: 'warning',
});

const folders = new Set(
  Object.keys(result.metafile.inputs)
    .map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0])
    .filter(Boolean),
);
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined || !existsSync(join(folder, file))) {
    throw new Error(`${name} ${version} brings no licence text, so it cannot be bundled.`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
});
writeFileSync('dist/third-party-licences.txt', notices.join(`\n${'-'.repeat(78)}\n\n`));
