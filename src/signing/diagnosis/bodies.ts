import type { Mistake, Variant } from './mistake.js';
import { mistake, OBJECT_TEXTS, UNSET_TEXTS } from './mistake.js';
import type { JsonBody } from './texts.js';
import {
  asciiEscaped,
  byteLists,
  dotnetEscaped,
  goValue,
  gsonEscaped,
  htmlEscaped,
  javaValue,
  MAX_REWRITTEN_BYTES,
  objectOf,
  phpEscaped,
  pythonBytes,
  pythonText,
  pythonValue,
  respaced,
  reversedKeys,
  rubyValue,
  sortedKeys,
  withoutNulls,
} from './texts.js';

/** The fix for a signed body that is not the sent one. */
const SIGN_THE_BYTES =
  'Use the bytes on the wire: serialise once and sign what you send; verify what arrives before you parse it.';

const EMPTY = new Uint8Array();

/** Variants of the body: texts in UTF-8, without undefined ones. */
export function bodies(...values: readonly (string | Uint8Array | undefined)[]): Variant[] {
  return values
    .filter((value) => value !== undefined)
    .map((value) => ({ change: { body: typeof value === 'string' ? Buffer.from(value) : value } }));
}

/** A mistake that is only possible with a JSON body. */
export function json(
  id: string,
  did: string,
  forms: (body: JsonBody) => readonly (string | undefined)[],
  fix = SIGN_THE_BYTES,
): Mistake {
  return mistake(id, did, fix, ({ right, json }) => (json ? otherBodies(right.body, forms(json)) : []));
}

/** A mistake that is possible with any body that is short enough to rewrite. */
export function bytes(
  id: string,
  did: string,
  forms: (body: Buffer) => readonly (string | Uint8Array)[],
  fix = SIGN_THE_BYTES,
): Mistake {
  return mistake(id, did, fix, ({ right: { body } }) =>
    body.length > 0 && body.length <= MAX_REWRITTEN_BYTES ? otherBodies(body, forms(Buffer.from(body))) : [],
  );
}

/** The same for a body in any character set, read as one character for each byte. */
export function text(id: string, did: string, forms: (body: string) => readonly string[]): Mistake {
  return bytes(id, did, (sent) => {
    const body = sent.toString('latin1');
    const mark = '\u00EF\u00BB\u00BF';
    return forms(body.startsWith(mark) ? `\uFEFF${body.slice(3)}` : body).map((form) =>
      Buffer.from(form.replace('\uFEFF', mark), 'latin1'),
    );
  });
}

/** Each form once, without the body itself. */
function otherBodies(body: Uint8Array, forms: readonly (string | Uint8Array | undefined)[]): Variant[] {
  const seen = new Set([Buffer.from(body).toString('latin1')]);
  return bodies(...forms).filter(({ change }) => {
    const form = Buffer.from(change.body ?? EMPTY).toString('latin1');
    return !seen.has(form) && seen.add(form);
  });
}

/** Longer bodies are not written as lists, which take five times the bytes. */
const MAX_LISTED_BYTES = 4 * 1024;

/** Other bytes that may have been signed instead of the body that arrived. */
export const BODY_MISTAKES: readonly Mistake[] = [
  json('body-compact', 'The JSON was signed without its white space.', ({ text }) => [
    respaced(text, ',', ':'),
  ]),
  json(
    'body-spaced',
    'The JSON was signed with different spaces after its commas and colons.',
    ({ text }) => [respaced(text, ', ', ': '), respaced(text, ',', ': '), respaced(text, ', ', ':')],
  ),
  json('body-indented', 'The JSON was signed with line breaks and indentation.', ({ value }) =>
    [2, 4, 3, '\t'].map((indent) => JSON.stringify(value, null, indent)),
  ),
  json('body-reserialised', 'The JSON was parsed and serialised again before it was signed.', ({ value }) => [
    JSON.stringify(value),
    respaced(JSON.stringify(value), ', ', ': '),
  ]),
  json(
    'body-unicode-escaped',
    'The JSON was signed with non-ASCII characters in the other notation (\\u00e7 or ç).',
    unicodeForms,
  ),
  json(
    'body-slashes-escaped',
    'The JSON was signed with its slashes escaped differently from the one sent.',
    ({ text }) => [
      text.replaceAll('/', '\\/'),
      respaced(text, ',', ':').replaceAll('/', '\\/'),
      text.replaceAll('\\/', '/'),
    ],
  ),
  json('body-html-escaped', 'The JSON was signed with < > & escaped.', ({ text }) => [
    htmlEscaped(text),
    htmlEscaped(respaced(text, ',', ':')),
  ]),
  json(
    'body-php-json',
    'The JSON was signed as json_encode of PHP writes it: with \\/ for / and \\u00e7 for ç.',
    ({ value }) => [
      phpEscaped(JSON.stringify(value)),
      phpEscaped(JSON.stringify(value, null, 4)),
      phpEscaped(JSON.stringify(value)).replaceAll(/(?<=^|[:,[])\{\}/g, '[]'),
    ],
  ),
  json(
    'body-signs-escaped',
    'The JSON was signed with signs and letters escaped as in System.Text.Json (C#) or Gson (Java).',
    ({ value }) =>
      [JSON.stringify(value), JSON.stringify(value, null, 2)].flatMap((text) => [
        dotnetEscaped(text),
        gsonEscaped(text),
      ]),
  ),
  json('body-key-order', 'The JSON was signed with its keys in another order.', keyOrders),
  json(
    'body-go-map',
    'The JSON was signed as Go writes a map: with sorted keys and with < > & escaped.',
    ({ value }) =>
      [sortedKeys(value), sortedKeys(value, 1)].flatMap((sorted) => [
        htmlEscaped(JSON.stringify(sorted)),
        `${htmlEscaped(JSON.stringify(sorted))}\n`,
      ]),
  ),
  json(
    'body-keys-filtered',
    'The JSON was signed without the nested keys that the second argument of JSON.stringify does not list.',
    ({ value }) => {
      const keys = Object.keys(objectOf(value) ?? {});
      return keys.length === 0 ? [] : [keys.toSorted(), keys].map((listed) => JSON.stringify(value, listed));
    },
  ),
  json('body-encoded-twice', 'The JSON was encoded twice.', ({ text, value }) => [
    JSON.stringify(text),
    typeof value === 'string' ? value : undefined,
  ]),
  json('body-nulls-left-out', 'The JSON was signed without the fields that are null.', ({ value }) => [
    JSON.stringify(withoutNulls(value)),
  ]),
  json('body-field-left-out', 'The JSON was signed without one of its fields.', fieldsLeftOut),
  json(
    'body-amount-type',
    'The JSON was signed with an amount as a number instead of a string, or the other way round.',
    amountForms,
  ),
  json('body-form-encoded', 'The body was signed as a form (a=1&b=2).', ({ value }) => [
    formEncoded(value),
    nestedForm(value),
  ]),
  text('body-newline-added', 'A line break was signed after the body.', (body) => [
    `${body}\n`,
    `${body}\r\n`,
  ]),
  text('body-trimmed', 'The body was signed without the white space around it.', (body) => [
    body.trim(),
    body.trimEnd(),
  ]),
  text('body-line-endings', 'The body was signed with other line endings.', (body) => [
    body.replaceAll('\r\n', '\n'),
    body.replaceAll(/\r?\n/g, '\r\n'),
  ]),
  text(
    'body-byte-order-mark',
    'The body was signed with a byte order mark that it lacks, or without the one it has.',
    (body) => (body.startsWith('\uFEFF') ? [body.slice(1)] : [`\uFEFF${body}`]),
  ),
  bytes('body-charset', 'The body was signed in a different character set than it was sent in.', charsets),
  bytes('body-base64', 'The body was signed in base64 or hex.', (body) => [
    body.toString('base64'),
    body.toString('hex'),
  ]),
  mistake(
    'body-empty-form',
    'The body is empty, but something was signed for it.',
    'If there is no body, sign zero bytes.',
    ({ right }) =>
      right.body.length > 0 ? [] : bodies('{}', 'null', '""', 'undefined', '[]', ' ', '\n', 'None'),
  ),
  mistake(
    'body-left-empty',
    'The body was signed as if it were empty.',
    'Sign the body that you send.',
    ({ right }) => (right.body.length > 0 ? [{ change: { body: EMPTY } }] : []),
  ),
  mistake(
    'body-unserialised',
    'An object or an unset value was signed instead of the text of the body.',
    SIGN_THE_BYTES,
    ({ right }) => (right.body.length > 0 ? bodies(...OBJECT_TEXTS, ...UNSET_TEXTS.slice(1), '{}') : []),
  ),
  json(
    'body-python-dict',
    'The text of a Python dict or string was signed, as str(), repr() or an f-string makes it, not the JSON.',
    ({ text }) => [pythonValue(text), pythonText(text)],
    'Sign the bytes of the body, as sent or as received, and not the parsed object; str() of a dict is not JSON.',
  ),
  bytes(
    'body-python-bytes',
    "The text b'…' of Python bytes was signed, not the bytes.",
    (body) => [pythonBytes(body)],
    "Join or hash the body as bytes; str() or an f-string of bytes writes b'…'.",
  ),
  bytes(
    'body-buffer-json',
    'The body was signed as {"type":"Buffer","data":[…]}: JSON.stringify was called on a Buffer.',
    (body) => (body.length <= MAX_LISTED_BYTES ? [JSON.stringify(body)] : []),
    'Pass the Buffer itself to update(); it already has the bytes on the wire.',
  ),
  bytes('body-byte-list', 'The body was signed as a list of decimal numbers, one for each byte.', (body) =>
    body.length <= MAX_LISTED_BYTES ? byteLists(body) : [],
  ),
  json(
    'body-printed',
    'The text of a map or hash was signed, as Ruby, Java or Go prints it, not the JSON.',
    ({ text, value }) => [
      rubyValue(text, '=>'),
      rubyValue(text, ' => '),
      javaValue(value),
      goValue(sortedKeys(value)),
    ],
  ),
];

function keyOrders({ value }: JsonBody): string[] {
  const given = JSON.stringify(value);
  const others = (orders: readonly unknown[]) =>
    orders.filter((order) => JSON.stringify(order) !== given).map(writings);
  const usual = others([sortedKeys(value), sortedKeys(value, 1)]);
  const rare = others([reversedKeys(value), reversedKeys(value, 1), contractOrder(value)]);
  // The first ones are also tried in pairs, and repeated ones count once.
  return [...usual.flatMap((forms) => forms.slice(0, 2)), ...rare.flat(), ...usual.flat()];
}

/** A value as the serialisers of several languages write it, PHP's last. */
function writings(value: unknown): string[] {
  const compact = JSON.stringify(value);
  const ascii = asciiEscaped(compact);
  return [
    compact,
    respaced(compact, ', ', ': '),
    JSON.stringify(value, null, 2),
    ascii,
    phpEscaped(compact),
    respaced(ascii, ', ', ': '),
  ];
}

/** The fields of a charge in the order of the contract (§4.1), with all others after them. */
function contractOrder(value: unknown): unknown {
  const { code, account_id, amount, payer_document, ...rest } = objectOf(value) ?? {};
  return { code, account_id, amount, payer_document, ...rest };
}

function unicodeForms({ text, value }: JsonBody): string[] {
  const escaped = asciiEscaped(text);
  return [escaped, respaced(escaped, ', ', ': '), respaced(escaped, ',', ':'), JSON.stringify(value)];
}

function fieldsLeftOut({ value }: JsonBody): string[] {
  const object = objectOf(value);
  if (!object) return [];
  const entries = Object.entries(object);
  return entries
    .slice(0, 12)
    .map((left) => JSON.stringify(Object.fromEntries(entries.filter((entry) => entry !== left))));
}

function amountForms({ text }: JsonBody): string[] {
  const quoted = /("amount"\s*:\s*)"(-?\d+(?:\.\d+)?)"/g;
  return [
    text.replaceAll(quoted, '$1$2'),
    text.replaceAll(quoted, (_all, key: string, amount: string) => `${key}${Number(amount)}`),
    text.replaceAll(/("amount"\s*:\s*)(-?\d+(?:\.\d+)?)/g, '$1"$2"'),
  ];
}

function formEncoded(value: unknown): string | undefined {
  const object = objectOf(value);
  if (!object) return undefined;
  const form = new URLSearchParams();
  for (const [key, held] of Object.entries(object))
    form.set(key, typeof held === 'string' ? held : JSON.stringify(held));
  return form.toString();
}

/** A form with the names of nested fields in brackets, as PHP and Rails write it. */
function nestedForm(value: unknown): string | undefined {
  if (!objectOf(value)) return undefined;
  const form = new URLSearchParams();
  const add = (name: string, held: unknown): void => {
    if (typeof held === 'object' && held !== null) {
      for (const [key, inner] of Object.entries(held)) add(name === '' ? key : `${name}[${key}]`, inner);
    } else if (held !== null) form.set(name, typeof held === 'string' ? held : String(Number(held)));
  };
  add('', value);
  return form.toString();
}

function charsets(body: Buffer): (string | Buffer)[] {
  const text = body.toString('utf8');
  const readAsLatin1 = body.toString('latin1');
  return [text, Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le'), readAsLatin1];
}
