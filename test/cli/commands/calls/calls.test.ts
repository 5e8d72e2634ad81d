import { expect, test } from 'vitest';
import { callLines } from '../../../../src/cli/commands/calls/calls.js';
import { callView } from '../../../../src/http/control/calls.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const OPTIONS = { realNow: () => Date.parse('2026-01-01T12:34:56Z') };

/** A call that no route matches; resolves to its id. */
async function unmatched({ server }: CliSandbox): Promise<string> {
  const response = await server.fetch(new Request(`${server.url}/pix`, { method: 'POST' }), {});
  return response.headers.get('x-request-id') ?? '';
}

test('list shows the calls that fit the filters', async () => {
  await using sandbox = await cliSandbox(OPTIONS);
  expect((await sandbox.run('calls list')).stdout).toBe('No calls.\n');
  const id = await unmatched(sandbox);
  const filters = { method: 'post', path: '/p*', status: '4xx', since: '5m', door: 'api' };
  for (const [name, value] of Object.entries(filters)) {
    const { stdout } = await sandbox.run('calls list', { options: { [name]: value } });
    expect(stdout).toMatch(new RegExp(`\n12:34:56 +404 +POST +/pix +NOT_FOUND \\(no route\\) +${id}\n`));
  }
  for (const other of [{ method: 'GET' }, { status: '5xx' }, { door: 'hosted' }, { app: 'default' }]) {
    expect((await sandbox.run('calls list', { options: other })).stdout).toBe('No calls.\n');
  }
});

test.for([
  [{ door: 'control' }, 'There is no door control.', 'Known: api, identity, hosted.'],
  [{ since: 'soon' }, '--since must be a duration; got soon.', '5m'],
] as const)('list refuses %j', async ([options, message, hint]) => {
  await using sandbox = await cliSandbox();
  const error = await rejectionOf(sandbox.run('calls list', { options }), CliError);
  expect([error.exitCode, error.message]).toEqual([EXIT.usage, message]);
  expect(error.hint).toContain(hint);
});

test('show prints one call, and all of it as JSON', async () => {
  await using sandbox = await cliSandbox(OPTIONS);
  const id = await unmatched(sandbox);
  const { stdout } = await sandbox.run('calls show', { args: [id] });
  expect(stdout.split('\n')[0]).toBe('12:34:56 404 POST /pix NOT_FOUND (no route)');
  expect(await sandbox.runJson('calls show', { args: [id] })).toMatchObject({ id, events: [] });
});

test.for([80, 40])('a hint is wrapped between words on a terminal of %i columns', async (columns) => {
  await using sandbox = await cliSandbox();
  await unmatched(sandbox);
  const [call] = sandbox.server.sandbox.calls.newest();
  if (call === undefined) throw new Error('Expected a call.');
  const hint =
    'x-timestamp is 20779 d 7 h behind now. Expected: x-timestamp within 300 s. `npx sandbox env` shows it.';
  const lines = callLines(fakeIo({ columns }).io, callView({ ...call, hint, message: undefined }));
  const shown = lines.slice(1);
  expect(shown.filter((line) => line.length > columns || !line.startsWith(' '.repeat(9)))).toEqual([]);
  expect(shown.map((line) => line.trim()).join(' ')).toBe(`hint ${hint}`);
  expect(shown.filter((line) => line.includes('`npx sandbox env`'))).toHaveLength(1);
});
