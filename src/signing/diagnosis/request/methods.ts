import { type Mistake, rowsAbout, rowsFromText, UNSET_TEXTS } from '../mistake.js';

const SIGN_IN_CAPITALS = 'Sign the method of the request in upper case, as in POST.';

const row = rowsAbout('method', SIGN_IN_CAPITALS);
const textRow = rowsFromText('method', SIGN_IN_CAPITALS);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Texts that may have been signed instead of the method. */
export const METHOD_MISTAKES: readonly Mistake[] = [
  textRow('method-lower-case', 'The method was signed in small letters.', (method) => [method.toLowerCase()]),
  textRow('method-capitalised', 'Only the first letter of the method was signed in upper case.', (method) => [
    method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase(),
  ]),
  row('method-other', 'Another method was signed than was sent.', () =>
    Object.fromEntries(METHODS.map((method) => [method, method])),
  ),
  row('method-unset', 'An unset value was signed in place of the method.', () => UNSET_TEXTS),
];
