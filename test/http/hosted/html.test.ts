import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { html, prose } from '../../../src/http/hosted/html.js';

test('values are escaped, for text and for attributes', () => {
  const page = html`<p title="${`"><img src=x onerror='a()'>&`}">${'<b>'} & ${1}</p>`;
  expect(page.text).toBe(
    '<p title="&quot;&gt;&lt;img src=x onerror=&#39;a()&#39;&gt;&amp;">&lt;b&gt; & 1</p>',
  );
});

test('what is HTML already stays, lists are joined, and what is absent leaves nothing', () => {
  const inner = html`<b>${'&'}</b>`;
  expect(html`${[inner, inner]}${undefined}${false}|`.text).toBe('<b>&amp;</b><b>&amp;</b>|');
});

test('no text gets markup into a page', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(html`<i title="${text}">${text}</i>`.text).toMatch(/^<i title="[^<>"']*">[^<>"']*<\/i>$/);
    }),
  );
});

test('prose has code between backticks and names the program as it is called', () => {
  const { text } = prose('Run `npx sandbox a <b>` & go.', 'pnpm sandbox');
  expect(text).toBe('Run <code>pnpm sandbox a &lt;b&gt;</code> &amp; go.');
});
