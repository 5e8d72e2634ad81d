import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSender, scenarioSender, SENDER_HEADER } from '../../src/text/exchange/shown.js';

test('the name of a scenario survives a header, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const sent = new Headers({ [SENDER_HEADER]: scenarioSender(name) }).get(SENDER_HEADER) ?? '';
      expect(readSender(sent, 1000)).toEqual({ by: 'scenario', scenario: name });
    }),
    { examples: [[' '], ['late  '], ['late\u00a0']] },
  );
});

test.each([
  ['console', { by: 'console' }],
  ['scenario paid late', { by: 'scenario', scenario: 'paid late' }],
  ['scenario 100%', { by: 'scenario', scenario: '100%' }],
  ['scenario 01234567890', { by: 'scenario', scenario: '0123456789' }],
  ['scenario 012345678%F0%9F%98%80', { by: 'scenario', scenario: '012345678' }],
  ['scenario', { by: 'scenario', scenario: '' }],
  ['clock', undefined],
  ['', undefined],
])('%j names %j', (value, sender) => {
  expect(readSender(value, 10)).toEqual(sender);
});

test('half a character in a file name breaks no request', () => {
  expect(readSender(scenarioSender('a\ud800'), 10)).toEqual({ by: 'scenario', scenario: 'a\u{fffd}' });
});
