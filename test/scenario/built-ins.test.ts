import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROW_FIELDS } from '../../src/scenario/expectations.js';
import { VERB_NAMES } from '../../src/scenario/steps.js';
import {
  BUILT_INS,
  failureOf,
  runFresh,
  SCENARIO_FOLDER,
  scenarioOf,
} from '../helpers/scenario/scenarios.js';

test.each([...BUILT_INS])(
  '%s passes on a fresh sandbox, and describes its purpose in a sentence',
  async (_, text) => {
    expect(scenarioOf(text).description).toMatch(/^[A-Z].*\.$/);
    const outcome = await runFresh(text);
    expect(failureOf(outcome)).toBeUndefined();
    expect(outcome).toMatchObject({ passed: true, notes: [] });
  },
);

const README = readFileSync(join(SCENARIO_FOLDER, 'README.md'), 'utf8');

test('the README names every step, every list and the recorded fields of a received one', () => {
  const missing = [...VERB_NAMES, ...Object.keys(ROW_FIELDS)].filter(
    (word) => !README.includes(`\`${word}\``),
  );
  expect(missing).toEqual([]);
  expect(README).toContain(ROW_FIELDS.received.join(', '));
  expect(README).toContain(ROW_FIELDS.events.join(', '));
  expect(README).toContain(ROW_FIELDS.transactions.join(', '));
});

test('the example of the README passes', async () => {
  const example = /```json\n([^`]*)```/.exec(README)?.[1] ?? '';
  expect(failureOf(await runFresh(example))).toBeUndefined();
});
