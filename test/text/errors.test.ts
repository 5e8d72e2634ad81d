import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isError, getErrorMessage } from '../../src/text/errors.js';

test.each([
  ['an error', new TypeError('no'), 'no'],
  [
    'one of another realm, as Node’s are in a test file of Jest',
    runInNewContext('new RangeError("no")'),
    'no',
  ],
  ['an exception of the web', new DOMException('no', 'AbortError'), 'no'],
])('recognizes %s as an error', (_, error, message) => {
  expect(isError(error)).toBe(true);
  expect(getErrorMessage(error)).toBe(message);
});

test.each([
  [undefined, 'undefined'],
  ['no', 'no'],
  [{ message: 'no' }, '[object Object]'],
])('does not recognize %j as an error, and shows it unchanged', (value, text) => {
  expect(isError(value)).toBe(false);
  expect(getErrorMessage(value)).toBe(text);
});
