import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotationLine } from '../../../../src/cli/commands/exec/github.js';

test('an annotation is marked as GitHub reads it', () => {
  expect(
    annotationLine({
      level: 'error',
      title: 'pix-sandbox unmatched',
      message: 'POST /pix met nothing: 100 %, so\r\nfix it',
    }),
  ).toBe('::error title=pix-sandbox unmatched::POST /pix met nothing: 100 %25, so%0D%0Afix it');
  expect(annotationLine({ level: 'warning', title: 'a:b,c', message: '' })).toBe(
    '::warning title=a%3Ab%2Cc::',
  );
});

test('whatever is said, it is one line from which GitHub reads the same', () => {
  const anything = fc.string({ unit: fc.constantFrom('%', '2', '5', '\r', '\n', ':', ',', 'A', '3', '=') });
  fc.assert(
    fc.property(anything, anything, (title, message) => {
      const line = annotationLine({ level: 'error', title, message });
      expect(line).not.toMatch(/[\r\n]/);
      const [, shownTitle = '', shownMessage = ''] = /^::error title=([^:,]*)::(.*)$/.exec(line) ?? [];
      expect([decodeURIComponent(shownTitle), decodeURIComponent(shownMessage)]).toEqual([title, message]);
    }),
  );
});
