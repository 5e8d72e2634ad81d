import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NotReachableError } from '../../../src/client/control.js';
import { ASSUMPTION_IDS } from '../../../src/contract/assumptions.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

const NOBODY = 'http://127.0.0.1:1';

describe('assumptions', () => {
  test('shows those of the running sandbox, and marks chosen ones', async () => {
    await using sandbox = await cliSandbox({ assume: { 'charge.lifetime': '2h' } });
    const { stdout, stderr } = await sandbox.run('assumptions', { columns: 80, colorLevel: 1 });
    expect(stdout).toContain('\u001b[33mcharge.lifetime = 2h (default: 1d)\u001b[39m  §2.1\n');
    expect(stdout).toContain('\ncharge.late_window = 1d  §3\n  How long after expiry');
    expect(stdout.match(/\(default: /g)).toHaveLength(1);
    expect(stderr).toBe('');
  });

  test('prints the JSON of the control API', async () => {
    await using sandbox = await cliSandbox({ assume: { 'charge.lifetime': '2h' } });
    const response = await sandbox.server.fetch(new Request('http://localhost/_sandbox/assumptions'), {});
    expect(await sandbox.runJson('assumptions')).toEqual(await response.json());
  });

  test('shows the defaults if no sandbox is running', async () => {
    using state = tempFolder();
    const env = { XDG_STATE_HOME: state.path };
    for (const running of [env, { ...env, SANDBOX_URL: NOBODY }]) {
      const { stdout, stderr } = await runBody('assumptions', { env: running });
      expect(stdout).toContain('\ncharge.lifetime = 1d  §2.1\n');
      expect(stderr).toBe('No sandbox is running; showing this project’s settings.\n');
    }
    const { stdout, stderr } = await runBody('assumptions', { env, json: true });
    const { data } = JSON.parse(stdout) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ASSUMPTION_IDS));
    expect(stderr).toBe('');
  });

  test('shows when a probe observed each assumption, and whether it matches', async () => {
    using state = tempFolder();
    const fact = { observed: '2026-01-31', matches: true, requests: [], result: {} };
    const facts = {
      'charge.lifetime': { ...fact, value: '15m' },
      'signature.encoding': { ...fact, value: 'hex' },
      'error.body': { ...fact, matches: false },
    };
    const record = { format: 1, version: '1.0.0', against: 'https://api.example', facts };
    writeFileSync(join(state.path, 'parity.json'), JSON.stringify(record));
    const here = { env: { XDG_STATE_HOME: state.path }, cwd: state.path };
    const { stdout } = await runBody('assumptions', here);
    expect(stdout).toMatch(
      /^charge\.lifetime = 1d[^]*?\n {2}Observed on 2026-01-31: differs \(15m\), see `parity check`\.$/m,
    );
    expect(stdout).toMatch(/^signature\.encoding = hex[^]*?\n {2}Observed on 2026-01-31: matches\.$/m);
    expect(stdout).toMatch(/^error\.body[^]*?\n {2}Observed on 2026-01-31: differs, see `parity check`\.$/m);
    expect(stdout.match(/Observed on/g)).toHaveLength(3);
    const { data } = JSON.parse((await runBody('assumptions', { ...here, json: true })).stdout) as {
      data: { id: string; observed: object | null }[];
    };
    const lifetime = data.find(({ id }) => id === 'charge.lifetime');
    expect(lifetime?.observed).toEqual({ on: '2026-01-31', value: '15m', matches: false });
    writeFileSync(join(state.path, 'parity.json'), '{');
    expect((await runBody('assumptions', here)).stdout).not.toContain('Observed');
  });

  test('does not invent the assumptions of a named sandbox', async () => {
    const asked = runBody('assumptions', { options: { url: NOBODY } });
    expect((await rejectionOf(asked, NotReachableError)).url).toBe(NOBODY);
  });
});
