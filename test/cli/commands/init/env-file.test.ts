import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDotenvAddition, parseVariableNames } from '../../../../src/cli/commands/init/env-file.js';

const LINES = { A_URL: 'A_URL=http://x', A_TOKEN: 'A_TOKEN=t', A_KEY: "A_KEY='a b'" };

describe('a dotenv file', () => {
  test.each([
    ['', []],
    ['A=1\nB=2', ['A', 'B']],
    ['export A=1\r\n  B = 2\r\n', ['A', 'B']],
    ['# A=1\n#B=2\nC=', ['C']],
    ['A: 1\nno name\n=x\n1A=2\n', ['A']],
    ['A=1=2\nB=#x', ['A', 'B']],
  ])('%j names %j', (dotenv, names) => {
    expect([...parseVariableNames(dotenv)]).toEqual(names);
  });

  test('a dotenv file with some names receives the others, on separate lines', () => {
    const { text, added, kept } = createDotenvAddition('A_TOKEN=mine', LINES);
    expect(text).toMatch(/^\n\n# .*\nA_URL=http:\/\/x\nA_KEY='a b'\n$/);
    expect([added, kept]).toEqual([['A_URL', 'A_KEY'], ['A_TOKEN']]);
  });

  test('defines every name once, and starts with its previous content', () => {
    const line = fc.constantFrom('A_URL=1', 'export A_TOKEN = 2', '# A_KEY=3', '', 'B=4', 'A_KEY', 'c');
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean(), (lines, ending, isClosed) => {
        const before = lines.join(ending) + (isClosed && lines.length > 0 ? ending : '');
        const { text, added, kept } = createDotenvAddition(before, LINES);
        expect([...added, ...kept].sort()).toEqual(Object.keys(LINES).sort());
        expect(added.filter((name) => parseVariableNames(before).has(name))).toEqual([]);
        for (const name of Object.keys(LINES)) expect(parseVariableNames(before + text)).toContain(name);
        expect(createDotenvAddition(before + text, LINES).text).toBe('');
      }),
    );
  });
});
