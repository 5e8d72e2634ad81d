import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesRoute, matchesGlob } from '../../src/text/globs.js';

/** The same by a regular expression, which is slow where many stars meet a long text. */
function byRegExp(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

describe('a glob pattern', () => {
  test.each([
    ['pix.*', 'pix.settled', true],
    ['pix.*', 'pix.', true],
    ['pix.*', 'pix', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['*.failed', 'withdrawal.failed', true],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a**c', 'ac', true],
    ['a.c', 'abc', false],
    ['PIX.*', 'pix.settled', false],
  ])('matches %j against %j: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  test('behaves like a regular expression with `.*` for each star', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 10 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 });
    fc.assert(
      fc.property(piece, text, (pattern, subject) => {
        expect(matchesGlob(pattern, subject)).toBe(byRegExp(pattern, subject));
      }),
      { numRuns: 2_000 },
    );
  });

  test('matches many stars quickly against a long text that almost matches', () => {
    expect(matchesGlob(`${'*a'.repeat(1_000)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});

test.each([
  ['/a/b/c', '/a/:id/c', true],
  ['/a//c', '/a/:id/c', false],
  ['/a/b/d/c', '/a/:id/c', false],
  ['*', '/a/:id', true],
  ['**', '/a', true],
  ['/a/*', '/a/:id/c', true],
  ['/a/*/c', '/a/:id/c', true],
  ['/a*c', '/a/:id/c', true],
  ['*/c*', '/a/:id/c', true],
  ['/a/x*', '/a/:id', true],
  ['/a/x*/y', '/a/:id', false],
  ['/b*', '/a/:id', false],
  ['/a/*d', '/a/:id/c', false],
  ['', '/a', false],
])('the pattern %s meets the route %s: %s', (pattern, route, meets) => {
  expect(matchesRoute(pattern, route)).toBe(meets);
});

test('a pattern with many stars meets a route that has room for it', () => {
  expect(matchesRoute(`${'*a'.repeat(1_000)}b`, '/a/:id/:name')).toBe(true);
});
