import { expect, onTestFinished, test } from 'vitest';
import { installFaultFile, readFaultFile } from '../../../src/cli/faults/faults.js';
import { CliError } from '../../../src/cli/program/errors.js';
import { startServer } from '../../../src/http/server/start.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { thrownBy } from '../../helpers/thrown-by.js';

test('faults of a file are installed again after each reset', async () => {
  const server = await startServer({ seed: '1', port: undefined });
  onTestFinished(() => server.close());
  const planted = await installFaultFile(server, [
    { on: 'call', action: 'status', status: 503, path: '/api/public/v1/pix', nth: 1 },
    { on: 'call', action: 'status', status: 503, path: '/api/public/v1/accounts/*', nth: 1 },
  ]);
  const { sandbox } = server;
  const kept = () => Array.from(sandbox.world.faults.values(), ({ fired }) => fired);
  const call = () => server.fetch(new Request(`${server.url}/api/public/v1/accounts/one`), {});
  expect((await call()).status).toBe(503);
  expect(kept()).toEqual([0, 1]);
  const reset = () => server.fetch(new Request(`${server.url}/_sandbox/reset`, { method: 'POST' }), {});
  expect((await reset()).ok).toBe(true);
  expect(kept()).toEqual([0, 0]);
  expect((await reset()).ok).toBe(true);
  expect(planted.outcomes()).toEqual([
    { words: expect.stringContaining('/api/public/v1/pix'), hasFired: false },
    { words: expect.stringContaining('/api/public/v1/accounts/*'), hasFired: true },
  ]);
  expect((await call()).status).toBe(503);
});

function read(text: string, canRestart = false) {
  using folder = tempFolder();
  folder.write('faults.json', text);
  return readFaultFile({ cwd: folder.path }, 'faults.json', canRestart);
}

test('a fault file is read in the directory of the command', () => {
  const restart = { action: 'restart', event: 'pix.settled' };
  expect(read(JSON.stringify([restart]), true)).toEqual({ faults: [restart] });
});

test.each([
  ['{}', /^faults\.json:1:1 faults: Expected a fault file with the field faults/],
  ['[{"action":"restart"}]', /^faults\.json:1:3 \[0\]\.action: .*--restart/],
])('%j is a usage error with its position', (text, message) => {
  const error = thrownBy(() => read(text), CliError);
  expect(error.exitCode).toBe(2);
  expect(error.message).toMatch(message);
});

test('a directory of results is read as the faults of all findings, each once', () => {
  using folder = tempFolder();
  const [one, other] = [{ action: 'duplicate' }, { action: 'reorder' }];
  folder.write('results/faults-10.json', JSON.stringify({ faults: [one, { action: 'drop' }], seed: '8' }));
  folder.write('results/faults-2.json', JSON.stringify({ faults: [other, one], seed: '7' }));
  folder.write('results/report.json', '{"findings": []}');
  const faults = readFaultFile({ cwd: folder.path }, 'results', false);
  expect(faults).toEqual({ faults: [other, one, { action: 'drop' }], seed: '7' });
  folder.write('results/faults-2.json', '[{"action":"nonsense"}]');
  const wrong = thrownBy(() => readFaultFile({ cwd: folder.path }, 'results', false), CliError);
  expect(wrong.message).toMatch(/^results[/\\]faults-2\.json:1:\d+ \[0\]\.action/);
  folder.write('others/report.json', '{}');
  const empty = thrownBy(() => readFaultFile({ cwd: folder.path }, 'others', false), CliError);
  expect(empty.message).toMatch(/^others contains no findings;/);
  const missing = thrownBy(() => readFaultFile({ cwd: folder.path }, 'nowhere', false), CliError);
  expect(missing.message).toContain('Cannot read nowhere');
});
