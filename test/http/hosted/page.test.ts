import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { TextWithCode, TextField } from '../../../src/http/hosted/page.js';

const htmlOf = (element: { readonly toString: () => string }) => element.toString();

test('escapes values in text and in attributes', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const input = { id: 'a', label: text, value: text, problem: undefined, attributes: {} };
      const field = htmlOf(TextField(input));
      expect(field.replaceAll(/[^<>]/g, '')).toBe('<><><><><>');
      expect(field).toMatch(/ value="[^<>"']*"/);
    }),
  );
});

test('marks code between backticks and names the program as it was started', () => {
  const prose = htmlOf(TextWithCode({ text: 'Run `npx sandbox a <b>` & go.', program: 'pnpm sandbox' }));
  expect(prose).toBe('Run <code>pnpm sandbox a &lt;b&gt;</code> &amp; go.');
});
