import { expect, test } from 'vitest';
import { readFaultFile } from '../../../src/cli/faults/fault-file.js';
import { CliError } from '../../../src/cli/program/errors.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { thrownBy } from '../../helpers/thrown-by.js';

function read(text: string, canRestart = false) {
  using folder = tempFolder();
  folder.write('faults.json', text);
  return readFaultFile({ cwd: folder.path }, 'faults.json', canRestart);
}

test('a file of faults is read in the folder of the command', () => {
  const restart = { action: 'restart', event: 'pix.settled' };
  expect(read(JSON.stringify([restart]), true)).toEqual({ faults: [restart] });
});

test.each([
  ['{}', /^faults\.json:1:1 faults: Expected a file of faults with the field faults/],
  ['[{"action":"restart"}]', /^faults\.json:1:3 \[0\]\.action: .*--restart/],
])('%j is a usage error with its place', (text, message) => {
  const error = thrownBy(() => read(text), CliError);
  expect(error.exitCode).toBe(2);
  expect(error.message).toMatch(message);
});
