import { expect, test } from 'vitest';
import { keysIn } from '../../../../../src/cli/commands/start/keys/keyboard.js';

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const RIGHT = '\u001b[C';

test.each([
  ['t', ['t']],
  ['é', ['é']],
  ['\u{1F600}', ['\u{1F600}']],
  ['\r', ['\r']],
  ['\u001b', ['\u001b']],
  [UP, ['up']],
  ['\u001bOB', ['down']],
  [DOWN + DOWN + UP, ['down', 'down', 'up']],
  [`${DOWN}\r`, ['down', '\r']],
  [`t${DOWN}${DOWN}\r`, ['t', 'down', 'down', '\r']],
  [RIGHT, []],
  ['', []],
  ['retry, quit\r', []],
  ['y\r', []],
  [`ry${DOWN}`, []],
  [`${DOWN}r`, []],
  [`${DOWN}\r\r`, []],
])('%j is the keys %j', (typed, keys) => {
  expect(keysIn(typed)).toEqual(keys);
});
