import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { encodeSegment, parseUrl } from '../../src/text/urls.js';

test('parses a URL, and returns undefined for anything else', () => {
  expect(parseUrl('https://shop.example/a?b')?.pathname).toBe('/a');
  for (const text of ['', '/path', 'shop.example', 'https://', 'https://a b/'])
    expect(parseUrl(text)).toBeUndefined();
});

test('accepts a host name with Latin letters however often it is parsed', () => {
  let refused = 0;
  for (let count = 0; count < 30_000; count += 1)
    if (parseUrl('https://açaí.example') === undefined) refused += 1;
  expect(refused).toBe(0);
});

test('never uses URL.canParse, which forgets these names once it is optimized', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const withParentEntry = files.filter((file) => /URL\.canParse\(/.test(readFileSync(`src/${file}`, 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(withParentEntry).toEqual([]);
});

test('encodes any text as one path segment', () => {
  expect(encodeSegment('a/b?c ç\u{1f600}')).toBe('a%2Fb%3Fc%20%C3%A7%F0%9F%98%80');
  expect(encodeSegment('\ud800a\udfff')).toBe('%EF%BF%BDa%EF%BF%BD');
});
