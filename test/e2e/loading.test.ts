import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { BIN } from '../helpers/e2e/e2e.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** Prints at the end how many bytes of ours were loaded, and which slow parts of Node. */
const LISTING = `process.on('exit', () => {
  const files = Object.keys(require.cache).filter((path) => path.endsWith('.cjs'));
  const bytes = files.reduce((sum, path) => sum + require('node:fs').statSync(path).size, 0);
  const isLoaded = (part) => process.moduleLoadList.includes('NativeModule ' + part);
  const parts = ['crypto', 'internal/deps/undici/undici'].filter(isLoaded);
  console.error('LOADED ' + JSON.stringify({ bytes, parts }));
});`;

async function loadedBy(words: readonly string[]) {
  using folder = tempFolder();
  folder.write('listing.cjs', LISTING);
  const { stderr } = await execa(
    process.execPath,
    ['--require', join(folder.path, 'listing.cjs'), BIN, ...words],
    { cwd: folder.path, env: { XDG_STATE_HOME: folder.path }, input: '', reject: false },
  );
  const [, loaded = ''] = /^LOADED (.*)$/m.exec(stderr) ?? [];
  return JSON.parse(loaded) as { readonly bytes: number; readonly parts: readonly string[] };
}

test.each(['status', 'charges list', 'trigger pix.settled', 'deliveries list', 'logs', 'verify', 'listen'])(
  '%s loads only the client and its own code',
  async (words) => {
    const { bytes, parts } = await loadedBy(words.split(' '));
    expect(bytes).toBeLessThan(360_000);
    expect(parts).not.toContain('internal/deps/undici/undici');
  },
);

test.each(['--version', '--help'])('%s loads almost nothing', async (words) => {
  const { bytes, parts } = await loadedBy([words]);
  expect(parts).toEqual([]);
  expect(bytes).toBeLessThan(20_000);
});

test.each(['index', 'testing'])(
  'the library (%s) loads in a test environment without fetch',
  async (entry) => {
    const program = `
    for (const name of ['fetch', 'Request', 'Response', 'Headers']) delete globalThis[name];
    require(${JSON.stringify(join(BIN, `../../dist/cjs/${entry}.cjs`))});`;
    const { exitCode, stderr } = await execa(process.execPath, ['-e', program], { reject: false });
    expect([exitCode, stderr]).toEqual([0, '']);
  },
);
