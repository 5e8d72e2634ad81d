import { describe, expect, test } from 'vitest';
import { readFaultFile } from '../../../src/cli/faults/fault-file.js';
import { CliError } from '../../../src/cli/program/errors.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const DUPLICATE = { action: 'duplicate', event: 'pix.settled' };

function read(text: string, canRestart = false) {
  using folder = tempFolder();
  folder.write('faults.json', text);
  return readFaultFile({ cwd: folder.path }, 'faults.json', canRestart);
}

function refusalOf(text: string): string {
  const error = thrownBy(() => read(text), CliError);
  expect(error.exitCode).toBe(2);
  return error.message;
}

describe('a file of faults', () => {
  test('is an array, or an object with a seed', () => {
    expect(read(JSON.stringify([DUPLICATE]))).toEqual({ faults: [DUPLICATE], seed: undefined });
    expect(read('[]')).toEqual({ faults: [], seed: undefined });
    const whole = { about: 'a day', seed: '7', faults: [DUPLICATE] };
    expect(read(`\uFEFF${JSON.stringify(whole)}`)).toEqual({ faults: [DUPLICATE], seed: '7' });
    const restart = { action: 'restart', event: 'pix.settled' };
    expect(read(JSON.stringify([restart]), true)).toEqual({ faults: [restart], seed: undefined });
  });

  test.each([
    ['', /^faults\.json:1:1 is not JSON/],
    ['[{"action":"duplicate",}]', /^faults\.json:1:24 is not JSON/],
    ['7', /^faults\.json:1:1: Expected/],
    ['{}', /^faults\.json:1:1 faults: Expected a file of faults with the field faults/],
    ['{"faults":{}}', /^faults\.json:1:2 faults: Expected/],
    ['{"fault":[],"faults":[]}', /no field "fault".*Did you mean faults/],
    ['{"seed":1.5,"faults":[]}', /^faults\.json:1:2 seed: Expected a string; got 1\.5/],
    ['[7]', /^faults\.json:1:2 \[0\]: Expected a JSON object; got 7/],
    ['[{"action":"duplicat"}]', /^faults\.json:1:3 \[0\]\.action: .*duplicate/],
    ['[\n{"action":"duplicate"},\n  {"action":"duplicate","nth":0}]', /^faults\.json:3:25 \[1\]\.nth: /],
    ['{"faults":[{"action":"duplicate","evnt":"x"}]}', /^faults\.json:1:34 faults\[0\]\.evnt: /],
    ['[{"action":"restart"}]', /^faults\.json:1:3 \[0\]\.action: .*--restart/],
  ])('%j is refused with its place', (text, message) => {
    expect(refusalOf(text)).toMatch(message);
  });
});
