import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Shell } from '../helpers/cli/shell.js';
import { svgOf } from '../helpers/documents/picture.js';
import { BIN, CACHE_HOME, Project } from '../helpers/e2e/e2e.js';
import { startApp } from '../helpers/e2e/test-app.js';

const PICTURE = join(import.meta.dirname, '../../fixtures/pictures/terminal.svg');
const COLUMNS = 108;
const MOST_BYTES = 20_000;
const FROZEN = ['--seed', '7', '--freeze', '2026-01-31T12:00:00Z'];
/** Of an application that works again after a night. */
const ANSWERS = [500, 502, 502, 503, 503, 503];
/** Types each command as a person would see it; `npx sandbox` is the built command. */
const SCRIPT = `npx() { shift; "$NODE" "$BIN" "$@"; }
for line in "$@"; do printf '\\033[32m$\\033[39m \\033[1m%s\\033[22m\\n' "$line"; eval "$line"; echo; done
echo '[ended]'; read -r _`;
const COMMANDS = [
  'npx sandbox trigger pix.settled --code order-1',
  'npx sandbox clock advance 45h',
  'npx sandbox trace order-1',
];

test('the picture of the README shows the output of its commands (UPDATE_DOCS=1 writes it)', async () => {
  using project = new Project();
  await using _sandbox = await project.start(FROZEN);
  await using app = await startApp((_, ordinal) => ANSWERS[ordinal - 1] ?? 200);
  const target = `localhost:${app.port}/webhooks`;
  await using _listener = await project.listen(['--forward-to', target]);
  using shell = new Shell('bash', ['--norc', '--noprofile', '-c', SCRIPT, 'bash', ...COMMANDS], {
    cwd: project.folder,
    columns: COLUMNS,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: project.folder,
      XDG_STATE_HOME: project.stateHome,
      XDG_CACHE_HOME: CACHE_HOME,
      LANG: 'C.UTF-8',
      NODE: process.execPath,
      BIN,
    },
  });
  await shell.shows('[ended]');
  const [shown = ''] = shell.output.split('[ended]');
  const drawn = svgOf(
    shown.replaceAll(String(app.port), '3000').replaceAll(/\b[\d.]+ ms\b/g, '3 ms'),
    COLUMNS,
  );
  if (process.env.UPDATE_DOCS) {
    mkdirSync(dirname(PICTURE), { recursive: true });
    writeFileSync(PICTURE, drawn);
  }
  expect(drawn.length).toBeLessThan(MOST_BYTES);
  expect(drawn).toBe(readFileSync(PICTURE, 'utf8'));
});
