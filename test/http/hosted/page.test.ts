import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { Prose, TextField } from '../../../src/http/hosted/page.js';

test('escapes values in text and in attributes', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const field = TextField({ id: 'a', label: text, value: text, problem: undefined, attributes: {} });
      expect(String(field).match(/[<>]/g)).toEqual([...'<><><><><>']);
      expect(String(field)).toMatch(/ value="[^<>"']*"/);
    }),
  );
});

test('marks code between backticks and names the program as it is called', () => {
  const prose = Prose({ text: 'Run `npx sandbox a <b>` & go.', program: 'pnpm sandbox' });
  expect(String(prose)).toBe('Run <code>pnpm sandbox a &lt;b&gt;</code> &amp; go.');
});
