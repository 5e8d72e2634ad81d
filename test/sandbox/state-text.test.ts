import { expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { Refusal } from '../../src/contract/refusals.js';
import { exportWorld } from '../../src/core/state/export.js';
import { finished } from '../../src/core/state/steps.js';
import { readingStateText, stateFile } from '../../src/sandbox/state-file.js';
import { settle, startSandbox } from '../helpers/sandbox/sandbox.js';
import { thrownBy } from '../helpers/thrown-by.js';

const CHARGES = 50;

/** A state with payments, and the text of its file. */
function someState() {
  const sandbox = startSandbox();
  for (let made = 0; made < CHARGES; made += 1) settle(sandbox);
  const state = stateFile({ world: sandbox.world, rate: 0 });
  return { sandbox, state, text: JSON.stringify(state) };
}

function read(text: string) {
  return finished(readingStateText(Buffer.from(text)));
}

/** The lengths of the texts that are parsed from now on. */
function parsedLengths(): number[] {
  const lengths: number[] = [];
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string, ...more) => {
    lengths.push(text.length);
    return parse(text, ...more) as unknown;
  });
  onTestFinished(() => spy.mockRestore());
  return lengths;
}

test('the text of a state is read row by row, in as many steps, as what it was', () => {
  const { sandbox, text } = someState();
  const lengths = parsedLengths();
  const steps = readingStateText(Buffer.from(text));
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(exportWorld(step.value.world)).toEqual(exportWorld(sandbox.world));
  expect(step.value.rate).toBe(0);
  // Charges, events and transactions.
  expect(count).toBeGreaterThan(3 * CHARGES);
  expect(Math.max(...lengths)).toBeLessThan(2_000);
});

test('a ledger that is longer than a row may be is read', () => {
  const { state, text, sandbox } = someState();
  const [account] = state.world.accounts;
  const spaced = text.replace('"transactions":[', `"transactions":[${' '.repeat(LIMITS.stateRowBytes)}`);
  expect(account?.transactions.length).toBeGreaterThan(CHARGES);
  expect(exportWorld(read(spaced).world)).toEqual(exportWorld(sandbox.world));
});

test.each([
  ['many small objects', `{"a":[${'{},'.repeat(100_000)}{}]}`, 'This file is not a sandbox state.'],
  ['many keys', `{${'"k":1,'.repeat(100_000)}"k":1}`, 'This file is not a sandbox state.'],
  ['a list', `[${'1,'.repeat(100_000)}1]`, 'This file is not a sandbox state.'],
  ['no object', '"pix-sandbox-state"', 'This file is not a sandbox state.'],
])('%s are no state, and almost nothing of them is parsed', (_name, text, message) => {
  const lengths = parsedLengths();
  expect(thrownBy(() => read(text), Refusal).message).toBe(message);
  expect(lengths.reduce((sum, one) => sum + one, 0)).toBeLessThan(100);
});

test('what follows a wrong row is not parsed', () => {
  const { text } = someState();
  const wrong = text.replace('"charges":[', `"charges":[{"a":1},${'{},'.repeat(100_000)}`);
  const lengths = parsedLengths();
  expect(thrownBy(() => read(wrong), Refusal).message).toContain('charges[0].');
  expect(lengths.length).toBeLessThan(1_000);
});

test.each<[string, (text: string) => string, string]>([
  ['a field too many', (text) => text.replace('{', '{"more":[[1]],'), 'not a sandbox state'],
  [
    'a later field too many',
    (text) => text.replace(/\}$/, ',"more":[]}'),
    'state.more: expected no such field.',
  ],
  [
    'a table too many',
    (text) => text.replace('"charges":[', '"more":[],"charges":['),
    'there is no table more',
  ],
  [
    'a table too few',
    (text) => text.replace('"withdrawals":[],', ''),
    'withdrawals: expected a list; got nothing.',
  ],
  [
    'a table that is none',
    (text) => text.replace('"withdrawals":[]', '"withdrawals":{}'),
    'withdrawals: expected a list; got {}.',
  ],
  [
    'transactions that are none',
    (text) => text.replace('"transactions":[', '"transactions":7,"x":['),
    'accounts[0]',
  ],
  [
    'a world that is none',
    (text) => text.replace(/"world":.*/, '"world":7}'),
    'The state does not fit together: the world is not an object.',
  ],
])('%s is refused', (_name, change, message) => {
  const { text } = someState();
  expect(change(text)).not.toBe(text);
  expect(thrownBy(() => read(change(text)), Refusal).message).toContain(message);
});
