import { expect, test } from 'vitest';
import { parseScenario } from '../../src/scenario/parse.js';
import { runLine } from '../helpers/cli/cli-line.js';
import { cliSandbox } from '../helpers/cli/cli-sandbox.js';

const NO_DAY = '2026-02-30T00:00:00Z';
const GOOD = '2026-01-31T12:00:00-03:00';

/** Places that read an instant, apart from settings, and whether they accept a text. */
const PLACES: Readonly<Record<string, (text: string) => Promise<boolean>>> = {
  'verify --at': async (text) => !(await runLine(['verify', '--at', text])).stderr.includes(`got ${text}`),
  'clock freeze': async (text) => {
    await using sandbox = await cliSandbox();
    const env = { SANDBOX_URL: sandbox.server.url };
    return (await runLine(['clock', 'freeze', text], { env })).exitCode === 0;
  },
  'a scenario': async (text) => {
    const json = JSON.stringify({ sandbox: { freeze: text }, steps: [{ advance: '1s' }] });
    return !parseScenario(json).issues.some(({ path }) => path === 'sandbox.freeze');
  },
};

test.each(Object.entries(PLACES))(
  '%s accepts a timestamp, and no day that does not exist',
  async (_, accepts) => {
    expect([await accepts(GOOD), await accepts(NO_DAY)]).toEqual([true, false]);
  },
);
