import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { Running } from '../helpers/e2e/e2e.js';

const ROOT = join(import.meta.dirname, '../..');
const READY = '{"type":"ready"';

/** The tree as far as a build takes it, for a test to write in. */
function copyOfTree(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pix-sandbox-dev-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const names = readdirSync(ROOT).filter((name) =>
    /^(?:bin|src|fixtures|package\.json|build\.js|tsconfig.*)$/.test(name),
  );
  for (const name of names) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'state'));
  return folder;
}

test('dev builds and starts, waits after a failed build, restarts on changes, and ends everything', async () => {
  const folder = copyOfTree();
  const source = join(folder, 'src/cli/main.ts');
  const env = { XDG_STATE_HOME: join(folder, 'state') };
  const child = execa(process.execPath, ['build.js', '--dev', '--json', '--port', '0'], {
    cwd: folder,
    env,
    stdin: 'ignore',
    buffer: false,
    reject: false,
  });
  const dev = new Running(child);
  onTestFailed(() => console.error(dev.stdout.text(), dev.stderr.text()));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await child;
  });

  await dev.stdout.next(READY);
  appendFileSync(source, '\n}\n');
  await dev.stderr.next('dev: waiting for a change in src.');

  const text = readFileSync(join(ROOT, 'src/cli/main.ts'), 'utf8');
  writeFileSync(source, `${text}\nprocess.stderr.write('changed\\n');\n`);
  await dev.stderr.next('changed');
  const { url } = JSON.parse(await dev.stdout.next(READY)) as { url: string };
  expect((await fetch(url)).status).toBeLessThan(500);

  await dev.leave();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
