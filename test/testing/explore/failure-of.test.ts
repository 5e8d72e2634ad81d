import { expect, test } from 'vitest';
import { failureOf } from '../../../src/testing/explore/failure-of.js';

function failed(message: string): Error {
  return new TypeError(message);
}

test('a failure is named by the line that threw, whatever its message says', () => {
  const [one, other] = ['got 1', 'got 2\n    at odds'].map((message) => failureOf(failed(message)));
  expect(one?.name).toMatch(/^TypeError at failure-of\.test\.ts:\d+$/);
  expect(other?.name).toBe(one?.name);
  expect(other?.message).toBe('got 2\n    at odds');
});

test('also when the message was changed later', () => {
  const error = failed('before');
  error.message = 'after that';
  expect(failureOf(error).name).toBe(failureOf(failed('x')).name);
});

test('without a line it is named by what was thrown', () => {
  expect(failureOf('no').name).toBe('thrown: no');
  expect(failureOf(Object.assign(failed('first\nsecond'), { stack: undefined })).name).toBe(
    'TypeError: first',
  );
});
