import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freshOptions } from '../../src/cli/commands/run/scenarios.js';
import { readJson, readText } from '../../src/config/values.js';
import { SETTINGS } from '../../src/config/settings.js';
import { createSandbox } from '../../src/index.js';
import { parseScenario } from '../../src/scenario/parse.js';
import type { CliSandbox } from '../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../helpers/cli/cli-sandbox.js';
import { runLine } from '../helpers/cli/cli-line.js';

const BAD = [
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T12:00:00+25:00',
  '2026-01-31T12:00:00',
  '2026-01-31',
  '1969-12-31T23:59:59Z',
  '10000-01-01T00:00:00Z',
  'tomorrow',
];
const GOOD = ['2026-01-31T12:00Z', '2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00-03:00'];

let sandbox: CliSandbox;
beforeEach(async () => {
  sandbox = await cliSandbox();
});
afterEach(() => sandbox[Symbol.asyncDispose]());

const FREEZE = SETTINGS.filter(({ key }) => key === 'freeze');

function freeze(text: string): Promise<Response> {
  const body = JSON.stringify({ at: text });
  const headers = { 'content-type': 'application/json' };
  const request = new Request(`${sandbox.server.url}/_sandbox/clock/freeze`, {
    method: 'POST',
    headers,
    body,
  });
  return Promise.resolve(sandbox.server.fetch(request, {}));
}

/** Every place that reads an instant, and whether it takes a text for one. */
const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'verify --at': async (text) => !(await runLine(['verify', '--at', text])).stderr.includes(`got ${text}`),
  'start --freeze': async (text) => {
    // A flag that is read later and refused keeps a good instant from starting a server.
    const { stderr } = await runLine(['start', '--freeze', text, '--auto-settle', 'soon']);
    return !stderr.includes(`got ${text}`);
  },
  'clock freeze': async (text) => {
    const env = { SANDBOX_URL: sandbox.server.url };
    return (await runLine(['clock', 'freeze', text], { env })).exitCode === 0;
  },
  'the control API': async (text) => (await freeze(text)).status === 200,
  'the environment': (text) => FREEZE.every((setting) => takes(() => readText(setting, text))),
  'a settings file': (text) => FREEZE.every((setting) => takes(() => readJson(setting, text))),
  'a scenario': (text) => {
    const { scenario } = parseScenario(
      JSON.stringify({ sandbox: { freeze: text }, steps: [{ advance: '1s' }] }),
    );
    return scenario !== undefined && takes(() => freshOptions(scenario.sandbox));
  },
  createSandbox: (text) =>
    createSandbox({ port: false, freezeAt: text }).then(
      (made) => made.close().then(() => true),
      () => false,
    ),
};

function takes(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe.each(Object.entries(PLACES))('%s', (_name, taken) => {
  test('takes an instant with its zone and nothing else', async () => {
    const all = [...BAD, ...GOOD];
    const answers: unknown[] = [];
    for (const text of all) answers.push(await taken(text));
    expect(all.filter((_, at) => answers[at])).toEqual(GOOD);
  });
});

test.each([-1, Number.NaN, Infinity, 253_402_300_800_000, new Date(Number.NaN), new Date(-1)])(
  'createSandbox refuses to freeze at %s',
  async (freezeAt) => {
    await expect(createSandbox({ port: false, freezeAt })).rejects.toThrow('freezeAt takes an instant');
  },
);

test('a scenario file refuses a freeze that is not a day, at its place', () => {
  const { mistakes } = parseScenario(
    JSON.stringify({ sandbox: { freeze: '2026-02-30T00:00:00Z', auto_settle: '${soon}' }, steps: [] }),
  );
  expect(mistakes.map(({ path }) => path)).toContain('sandbox.freeze');
  expect(mistakes.map(({ path }) => path)).toContain('sandbox.auto_settle');
});
