import { expect, test } from 'vitest';
import { NoHomeError } from '../../../src/client/run-file.js';
import { toSystemError, describeUnwritable } from '../../../src/cli/program/errors.js';
import { toCliError } from '../../../src/cli/program/run-command.js';
import { StoreError } from '../../../src/store/store-error.js';
import { PROGRAM_NAME } from '../../../src/text/program-name.js';
import { systemError } from '../../helpers/store/store-system.js';

const CALLER = { program: PROGRAM_NAME };

test('system errors are reported with their reason and fix, not as bugs', () => {
  const error = Object.assign(systemError('EMFILE', 'open'), { path: '/x' });
  expect(toCliError(error, CALLER)).toMatchObject({
    exitCode: 2,
    code: 'SYSTEM_REFUSED',
    message: 'The system call open /x failed: this process has too many open files (EMFILE).',
    hint: expect.stringContaining('ulimit -n') as unknown,
  });
  expect(toSystemError(systemError('ENOSPC', 'write'))?.message).toContain('write failed: the disk is full');
});

test.each([
  new TypeError('x is not a function'),
  systemError('ECONNRESET', 'read'),
  systemError('constructor', 'read'),
  Object.assign(new Error('no call'), { code: 'EMFILE' }),
])('%s stays unchanged', (error) => {
  expect(toSystemError(error)).toBeUndefined();
  expect(() => toCliError(error, CALLER)).toThrow(error);
});

test('an unusable store is an error of every command', () => {
  expect(toCliError(new StoreError('damaged', '/x', ': Expected this.'), CALLER)).toMatchObject({
    exitCode: 2,
    code: 'DATA_NOT_USABLE',
    message: '/x: Expected this.',
  });
});

test('explains why a state directory cannot be written', () => {
  const error = Object.assign(systemError('EROFS', 'mkdir'), { path: '/x' });
  expect(describeUnwritable(error)).toBe('/x cannot be written (the disk is read-only)');
  expect(describeUnwritable(new NoHomeError())).toBe('this user has no home directory');
  expect(describeUnwritable(new TypeError('ours'))).toBeUndefined();
});
