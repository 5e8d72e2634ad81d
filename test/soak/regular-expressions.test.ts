import { checkSync } from 'recheck';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { regularExpressions } from '../helpers/source/regular-expressions.js';

/** Linear regular expressions that recheck reports, by reason. */
const EXCEPTIONS: Readonly<Record<string, readonly RegExp[]>> = {
  'Every repetition is bounded, so a long text costs a constant number of steps per character.': [
    /^\s{1,8}at .{1,300}:\d+/m,
    /^\s{1,8}at .{1,300} in .{1,300}:line \d+/m,
    /(?:secret|token|passw|pwd|api_?key|credential|authorization)[\w.-]{0,40}"?\s{0,9}[:=]\s{0,9}/gi,
  ],
};

/** Turns off every limit in seconds, so that a busy machine gets the same result. */
const UNTIMED = { timeout: null, attackTimeout: null, incubationTimeout: null };

const isSafe = ({ source, flags }: RegExp) => checkSync(source, flags, UNTIMED).status === 'safe';

beforeAll(() => {
  // Java and the native program are optional.
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  return () => vi.unstubAllEnvs();
});

describe('recheck', () => {
  test('finds no regular expression with more than linear time', () => {
    const all = new Map(regularExpressions.map((regex) => [String(regex), regex]));
    const excepted = Object.values(EXCEPTIONS).flat().map(String);
    expect(excepted.filter((regex) => !all.delete(regex))).toEqual([]);
    expect(all.size).toBeGreaterThan(200);
    expect([...all.values()].filter((regex) => !isSafe(regex))).toEqual([]);
  });

  test.each([
    /\s+$/,
    /\/+$/,
    /(a+)+b/,
    /^(?:a|aa)+$/,
    /^a*a*$/,
    /^[\w.]+[\w-]*\.com$/,
    /:[ \t]*(.*?)[ \t]*$/,
    /"(?:[^"\\]|\\.)*"/g,
    /(?<=^x.*)y/,
    /(?=.*b)c/,
    /(\d+)(ms|s)/g,
    /^[^\S\n]*=/gm,
  ])('rejects %s', (regex) => {
    expect(isSafe(regex)).toBe(false);
  });
});
