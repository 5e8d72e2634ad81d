import { expect, test } from 'vitest';
import { FaultFileError, parseFaultFile } from '../../../src/sandbox/faults/fault-file.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const DUPLICATE = { action: 'duplicate', event: 'pix.settled', parallel: true, nth: 1 };
const RESTART = { action: 'restart', event: 'pix.settled' };

const read = (text: string, noRestart?: string) => parseFaultFile('faults.json', text, noRestart);

test('a fault file is a list, or an object with them, their seed and what they are about', () => {
  expect(read(JSON.stringify([DUPLICATE]))).toEqual({ faults: [DUPLICATE] });
  expect(read('[]')).toEqual({ faults: [] });
  const whole = { faults: [DUPLICATE], seed: '7', about: 'The second copy is credited.' };
  expect(read(`\uFEFF${JSON.stringify(whole)}`)).toEqual(whole);
});

test.each([
  ['', /^faults\.json:1:1 is not JSON/],
  ['[{"action":"duplicate",}]', /^faults\.json:1:24 is not JSON/],
  ['7', /^faults\.json:1:1: Expected/],
  ['{}', /^faults\.json:1:1 faults: Expected a fault file with the field faults/],
  ['{"faults":{}}', /^faults\.json:1:2 faults: Expected/],
  ['{"fault":[],"faults":[]}', /Unknown field "fault".*Did you mean faults/],
  ['{"seed":1.5,"faults":[]}', /^faults\.json:1:2 seed: Expected a string; got 1\.5/],
  ['[7]', /^faults\.json:1:2 \[0\]: Expected a JSON object; got 7/],
  ['[{"action":"duplicat"}]', /^faults\.json:1:3 \[0\]\.action: .*duplicate/],
  ['[\n{"action":"duplicate"},\n  {"action":"duplicate","nth":0}]', /^faults\.json:3:25 \[1\]\.nth: /],
  ['{"faults":[{"action":"duplicate","evnt":"x"}]}', /^faults\.json:1:34 faults\[0\]\.evnt: /],
])('rejects %j with its position', (text, message) => {
  const error = thrownBy(() => read(text), FaultFileError);
  expect(error.message).toMatch(message);
  expect(error.hint).toContain('"action": "duplicate"');
});

test('a restart is an issue if nothing can restart the application', () => {
  expect(read(JSON.stringify([RESTART]))).toEqual({ faults: [RESTART] });
  const { message } = thrownBy(() => read(JSON.stringify({ faults: [RESTART] }), 'Say how.'), FaultFileError);
  expect(message).toBe('faults.json:1:13 faults[0].action: Say how.');
});
