import { expect, test } from 'vitest';
import { paintStatus } from '../../../src/cli/terminal/text.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';

const { io } = fakeIo({ colourLevel: 1 });

test.each([
  ['DELIVERED', '\u001b[32m'],
  ['SETTLED', '\u001b[32m'],
  ['FAILED', '\u001b[31m'],
  ['PENDING', '\u001b[33m'],
])('%s has its colour', (status, colour) => {
  expect(paintStatus(io, status)).toBe(`${colour}${status}\u001b[39m`);
});

test('another word has none', () => {
  expect(paintStatus(io, 'EXPIRED')).toBe('EXPIRED');
  expect(paintStatus(fakeIo().io, 'FAILED')).toBe('FAILED');
});
