import { describe, expect, test } from 'vitest';
import { exitCodesIn, problemsOf } from './checks/every-command.js';

const HELP = `NAME
    sandbox stop – stop the sandbox

EXIT STATUS
    0      done
    1      its process cannot be signalled
    70     a bug of the sandbox; please report it
    128+n  ended by signal n: 130 after Ctrl-C, 143 after SIGTERM

EXAMPLES
    7 sandbox stop
`;

test('reads the documented exit codes of a command, without the one of a bug', () => {
  expect(exitCodesIn(HELP)).toEqual([0, 1, 143]);
  expect(exitCodesIn('')).toEqual([]);
});

describe('a command line', () => {
  const expected = { exitCodes: [0, 2, 143] };
  const error = 'error Which event?\nhint  For example: sandbox trigger pix.settled';

  test.each([
    { exitCode: 0, stdout: 'text', stderr: '' },
    { exitCode: 143, stdout: 'is ready at http://127.0.0.1:1', stderr: '' },
    { exitCode: 2, stdout: '', stderr: error },
    { exitCode: 2, stdout: '', stderr: 'error missing required argument\nType `sandbox trace --help`.' },
  ])('passes with %j', (ran) => {
    expect(problemsOf(expected, ran)).toEqual([]);
  });

  test.each([
    { exitCode: 1, stdout: '', stderr: error },
    { exitCode: undefined, stdout: '', stderr: error },
    { exitCode: 0, stdout: '', stderr: 'text' },
    { exitCode: 2, stdout: '', stderr: '' },
    { exitCode: 2, stdout: '', stderr: 'error Which event?' },
    { exitCode: 2, stdout: '', stderr: `${error}\n    at join (node:path:1305:7)` },
    { exitCode: 2, stdout: '', stderr: `${error}\n    at /package/dist/cli.cjs:1:20` },
    { exitCode: 0, stdout: 'text', stderr: 'This is a bug of the sandbox: TypeError' },
  ])('fails with %j', (ran) => {
    expect(problemsOf(expected, ran)).toHaveLength(1);
  });

  test('fails without the expected text', () => {
    const ran = { exitCode: 0, stdout: '0.1.1', stderr: 'warning' };
    const wanted = { exitCodes: [0], stdout: /^0\.1\.0$/, stderr: /^$/ };
    expect(problemsOf(wanted, ran)).toHaveLength(2);
  });
});
