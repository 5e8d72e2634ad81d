import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '../../src/contract/refusals.js';
import { readFaultFile } from '../../src/sandbox/fault-file.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { thrownBy } from '../helpers/thrown-by.js';

const DUPLICATE = { action: 'duplicate', event: 'pix.settled', parallel: true, nth: 1 };

function fileOf(text: string): string {
  const folder = tempFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, folder.write('bad-day.json', text));
}

test('holds a list of faults, or an object with them, their seed and what they are about', () => {
  expect(readFaultFile(fileOf(JSON.stringify([DUPLICATE])))).toEqual({ faults: [DUPLICATE] });
  const whole = { faults: [DUPLICATE], seed: '7', about: 'The second copy is credited.' };
  expect(readFaultFile(fileOf(JSON.stringify(whole)))).toEqual(whole);
});

test.each([
  ['{', 'cannot be read: '],
  ['7', 'is not valid: '],
  ['{}', 'is not valid: faults: '],
  ['{"faults":[],"seeds":1}', 'is not valid: seeds: '],
  ['[{"action":"duplikate"}]', 'is not valid: [0].action: '],
  ['{"faults":[{"action":"drop"},{"action":"reset","nth":0}]}', 'is not valid: faults[1].nth: '],
])('of %s is refused with its name, the place and what to write', (text, words) => {
  const path = fileOf(text);
  const { message, hint } = thrownBy(() => readFaultFile(path), Refusal);
  expect(message).toContain(`The fault file ${path} ${words}`);
  expect(hint).toContain('"action":"duplicate"');
});

test('that is not there is refused with its name', () => {
  expect(thrownBy(() => readFaultFile('/nowhere/bad-day.json'), Refusal).message).toMatch(
    /^The fault file \/nowhere\/bad-day\.json cannot be read: ENOENT/,
  );
});
