import type { Bytes } from '../bytes.js';
import type { KnownSecret } from './known-secret.js';
import { type Mistake, mistake, rowsAbout, UNSET_TEXTS, type Variant, variantsOf } from './mistake.js';

/** The fix for a secret with extra characters around it. */
export const TRIM_SECRET = 'Trim the secret when it is loaded; files and shells add line breaks and quotes.';

/** The fix for a key that Python formatted as text. */
export const PASS_KEY_BYTES =
  'Pass the bytes themselves to hmac.new, as in secret.encode(); do not format them with str() or an f-string.';

/** Makes the rows about the text of a secret, tried for each current one; `forms` are the keys made from it. */
export function rowsAboutSecret(fix: string) {
  const row = rowsAbout('key', fix);
  return (id: string, did: string, forms: (secret: string) => readonly Bytes[]): Mistake =>
    row(id, did, ({ secrets }) => secrets.filter(isCurrent).flatMap(({ secret }) => forms(secret)));
}

/** Whether a secret may sign a valid message. */
export function isCurrent({ note }: KnownSecret): boolean {
  return note === undefined || note === 'current';
}

/** Mistakes in which the key does not depend on the secret. */
export const UNSET_KEY_MISTAKES: readonly Mistake[] = [
  mistake(
    'secret-unset',
    'An empty or unset value was used as the secret.',
    'Check that the variable that holds the secret is set where the program runs.',
    () => variantsOf('key', [...UNSET_TEXTS, 'secret', 'changeme']),
  ),
  mistake(
    'secret-variable-name',
    'The name of a variable was used as the secret, not its value.',
    'Read the variable; a quoted name is only a string.',
    () =>
      variantsOf(
        'key',
        VARIABLE_NAMES.flatMap((name) => [name, `$${name}`, `\${${name}}`, `process.env.${name}`]),
      ),
  ),
];

const VARIABLE_NAMES = [
  'SANDBOX_SIGNING_SECRET',
  'SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'WEBHOOK_SECRET',
];

/** A secret with the characters that files, shells and JSON put around it. */
export function withWrapping(secret: string): { quoted: string[]; blanks: string[] } {
  return {
    quoted: [`"${secret}"`, `'${secret}'`, `\`${secret}\``],
    blanks: [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, `${secret}\r`],
  };
}

/** The variant that uses another known secret, with its name. */
export function variantOfSecret({ name, secret }: KnownSecret, keyOf: (secret: string) => Bytes): Variant {
  const change = { key: keyOf(secret) };
  return name === undefined ? { change } : { change, detail: name };
}

/** Uses another credential as the secret; `keysOf` are the keys that a program may make from it. */
export function otherCredential(fix: string, keysOf: (credential: string) => readonly Bytes[]): Mistake {
  return mistake(
    'secret-is-other-credential',
    'Another credential was used as the key.',
    fix,
    ({ secrets }) =>
      secrets
        .filter(({ note }) => note === 'credential')
        .flatMap((known) => keysOf(known.secret).map((key) => variantOfSecret(known, () => key))),
  );
}
