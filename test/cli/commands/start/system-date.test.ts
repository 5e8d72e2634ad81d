import { afterEach, expect, test, vi } from 'vitest';
import { LAST_INSTANT_MS } from '../../../../src/contract/time.js';
import { runLine } from '../../../helpers/cli/cli-line.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

afterEach(() => vi.restoreAllMocks());

test.each([
  'start --port 0',
  'start --port 0 --freeze 2026-01-31T12:00:00Z --data data',
  'exec -- true',
  'run paid --fresh',
  'check --forward-to 9 --order "echo {code}"',
])('%s exits with 2 when the system date is past the year 9999', async (line) => {
  vi.spyOn(Date, 'now').mockReturnValue(LAST_INSTANT_MS + 1);
  using folder = tempFolder();
  const env = { HOME: folder.path, XDG_STATE_HOME: folder.path, PATH: process.env['PATH'] };
  const { exitCode, stderr } = await runLine(line, { cwd: folder.path, env });
  expect(stderr).toContain(
    'error The system date is 10000-01-01; expected a year from 1970 to 9999.\nhint  Correct the system date.\n',
  );
  expect(exitCode).toBe(2);
});
