import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.js';
import { Project } from '../helpers/e2e/e2e.js';
import type { ExpectedReceiver } from '../helpers/foreign-receivers.js';
import { EXPECTED, ForeignReceivers } from '../helpers/foreign-receivers.js';
import type { CheckReport } from '../helpers/foreign-verdicts.js';
import { compareVerdicts, explainFailures } from '../helpers/foreign-verdicts.js';
import { freePort } from '../helpers/free-port.js';

const receivers = new ForeignReceivers();
const project = new Project();
let credentials: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  const sandbox = await createSandbox({ port: false });
  credentials = { ...sandbox.env };
  await sandbox.close();
});

afterAll(() => {
  project[Symbol.dispose]();
  receivers[Symbol.dispose]();
});

/** Arguments of `check`; the receiver calls the sandbox at a port known before either starts. */
function checkArguments({ amount, withdrawals }: ExpectedReceiver, app: number, sandbox: number): string[] {
  const order = `http://127.0.0.1:${app}/orders/{code}`;
  const ordered = amount === true ? `${order}?amount={amount}` : order;
  return ['check', '--json', '--forward-to', `${app}/webhooks`, '--port', String(sandbox)].concat(
    ['--probe', order, '--order', `PUT ${ordered}`],
    withdrawals === true ? [] : ['--without', 'withdrawals'],
  );
}

describe.concurrent('third-party receivers', () => {
  test.for(Object.entries(EXPECTED))(
    'third-party receivers get the verdict of check recorded before the first run: %s',
    async ([id, expected], { skip, expect }) => {
      const missing = await receivers.missing(id);
      skip(missing !== undefined, missing);
      const [app, sandbox] = [await freePort(), await freePort()];
      const url = `http://127.0.0.1:${sandbox}`;
      const env = { ...credentials, SANDBOX_URL: url, SANDBOX_BASE_URL: url };
      await using _receiver = await receivers.start(id, app, env);
      const ran = await project.run(checkArguments(expected, app, sandbox));
      if (!ran.stdout.startsWith('{')) throw new Error(`Expected a report; got ${JSON.stringify(ran)}`);
      const report = JSON.parse(ran.stdout) as CheckReport;
      expect.soft(compareVerdicts(expected, report)).toEqual([]);
      expect.soft(ran.exitCode).toBe(expected.exit);
      const explanation = explainFailures(report);
      if (expected.says !== undefined) expect.soft(explanation).toMatch(new RegExp(expected.says, 'i'));
      if (expected.neverSays !== undefined)
        expect.soft(explanation).not.toMatch(new RegExp(expected.neverSays, 'i'));
    },
  );
});

test('every expected check that is not a pattern has the form of an id', () => {
  const ids = Object.values(EXPECTED).flatMap(({ fails }) => fails);
  expect(ids.filter((id) => !/^[a-z]+\.[a-z-]+$/.test(id))).toEqual([]);
});
