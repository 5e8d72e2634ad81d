import { expect, test } from 'vitest';
import { toFailure } from '../../src/testing/explore.js';

function failed(message: string): Error {
  return new TypeError(message);
}

test('names a failure by the line that threw, whatever its message', () => {
  const [one, other] = ['got 1', 'got 2\n    at odds'].map((message) => toFailure(failed(message)));
  expect(one?.name).toMatch(/^TypeError at explore-failures\.test\.ts:\d+$/);
  expect(other?.name).toBe(one?.name);
  expect(other?.message).toBe('got 2\n    at odds');
});

test('names a failure by its line even if the message was changed later', () => {
  const error = failed('before');
  error.message = 'after that';
  expect(toFailure(error).name).toBe(toFailure(failed('x')).name);
});

test('names a failure without a line by what was thrown', () => {
  expect(toFailure('no').name).toBe('thrown: no');
  expect(toFailure(Object.assign(failed('first\nsecond'), { stack: undefined })).name).toBe(
    'TypeError: first',
  );
});

test('stores the complete values of an assertion', () => {
  const order = {
    status: 'paid late',
    lines: Array.from({ length: 200 }, (_, index) => ({ index, deep: { er: { still: 1 } } })),
  };
  const error = Object.assign(failed('expected { …(2) } to equal 1'), { actual: order, expected: 1 });
  const { message } = toFailure(error);
  expect(message).toMatch(/^expected \{ …\(2\) \} to equal 1\nexpected: 1\nactual: \{/);
  expect(message).toContain("status: 'paid late'");
  expect(message).toContain('{ index: 199, deep: { er: { still: 1 } } }');
  const shown = Object.assign(failed('expected one; got other'), { actual: 'other', expected: 'one' });
  expect(toFailure(shown).message).toBe('expected one; got other');
});
