import { constantFrom, string } from 'fast-check';

const UNIT = constantFrom(
  ...Array.from(`aZ09-._~!$&'()*+,;=:@`),
  '/',
  '%20',
  '%2F',
  '%C3%A9',
  '//',
  '/./',
  '..',
);

/** What may stand in a path, and in a query; `webPath()` takes a second to build. */
export const pathTexts = string({ unit: UNIT, maxLength: 30 });
