import { type Mistake, mistake, namedVariants, UNSET_TEXTS, variantsOf } from '../mistake.js';

const SIGN_IN_CAPITALS = 'Sign the method of the request in upper case, as in POST.';

/** Texts that may have been signed instead of the method. */
export const METHOD_MISTAKES: readonly Mistake[] = [
  mistake('method-lower-case', 'The method was signed in small letters.', SIGN_IN_CAPITALS, ({ right }) =>
    typeof right.method === 'string' ? variantsOf('method', right.method.toLowerCase()) : [],
  ),
  mistake(
    'method-capitalised',
    'Only the first letter of the method was signed in upper case.',
    SIGN_IN_CAPITALS,
    ({ right }) =>
      typeof right.method === 'string'
        ? variantsOf('method', right.method.slice(0, 1).toUpperCase() + right.method.slice(1).toLowerCase())
        : [],
  ),
  mistake('method-other', 'Another method was signed than was sent.', SIGN_IN_CAPITALS, () =>
    namedVariants(
      'method',
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((method) => [method, method]),
    ),
  ),
  mistake('method-unset', 'An unset value was signed in place of the method.', SIGN_IN_CAPITALS, () =>
    variantsOf('method', ...UNSET_TEXTS),
  ),
];
