import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { BIN } from '../helpers/e2e/e2e.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** Prints at the end which of our files were loaded, without the hashes in their names, and which slow parts of Node. */
const LISTING = `process.on('exit', () => {
  const loaded = Object.keys(require.cache).map((path) => require('node:path').basename(path));
  for (const part of ['crypto', 'internal/deps/undici/undici']) {
    if (process.moduleLoadList.includes('NativeModule ' + part)) loaded.push(part);
  }
  console.error('LOADED ' + JSON.stringify(loaded.map((name) => name.replace(/-[\\w-]{8}\\.cjs$/, ''))));
});`;

async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
  using folder = tempFolder();
  folder.write('listing.cjs', LISTING);
  const { stderr } = await execa(
    process.execPath,
    ['--require', join(folder.path, 'listing.cjs'), BIN, ...words],
    { cwd: folder.path, env: { XDG_STATE_HOME: folder.path }, input: '', reject: false },
  );
  const [, names = '[]'] = /^LOADED (.*)$/m.exec(stderr) ?? [];
  return JSON.parse(names) as string[];
}

test.each([
  ['status'],
  ['charges list'],
  ['trigger pix.settled'],
  ['deliveries list'],
  ['logs'],
  ['verify'],
  ['listen'],
])('%s loads the client and its own code, and nothing of the service', async (words) => {
  const loaded = await loadedBy(words.split(' '));
  expect(loaded).toContain('cli.cjs');
  expect(loaded).not.toContain('service');
  expect(loaded).not.toContain('doors');
  expect(loaded).not.toContain('internal/deps/undici/undici');
  expect(loaded.length).toBeLessThanOrEqual(17);
});

test('reading the run file loads no cryptography, and no colours where none are shown', async () => {
  const loaded = await loadedBy(['status']);
  for (const name of ['crypto', 'source', 'chalk']) expect(loaded).not.toContain(name);
});

test('exec loads no doors for a command that asks nothing and ends at once', async () => {
  expect(await loadedBy(['exec', '--', 'true'])).not.toContain('doors');
});

test('a JSON answer loads nothing of fetch', async () => {
  const ask =
    "require('node:http').get(process.env.SANDBOX_URL + '/_sandbox/status', (answer) => answer.resume())";
  const loaded = await loadedBy(['exec', '--', process.execPath, '-e', ask]);
  expect(loaded).toContain('doors');
  expect(loaded).not.toContain('internal/deps/undici/undici');
});

test('exec loads the service, and neither its documents nor prompts nor a data directory', async () => {
  const loaded = await loadedBy(['exec', '--', process.execPath, '-e', '0']);
  expect(loaded).toEqual(expect.arrayContaining(['cli.cjs', 'service', 'doors']));
  for (const name of ['examples', 'complete', 'persistence', 'tunnel', 'scenario']) {
    expect(loaded).not.toContain(name);
  }
  expect(loaded.length).toBeLessThanOrEqual(20);
});

test('no file has a character beyond Latin-1, which would double the memory that it takes', () => {
  const dist = join(dirname(BIN), '../dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cjs'),
  );
  const wide = files.filter((name) => /[\u0100-\uffff]/.test(readFileSync(join(dist, name), 'utf8')));
  expect(files).toContain('cli.cjs');
  expect(wide).toEqual([]);
});
