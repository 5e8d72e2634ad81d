import { LIMITS } from '../../contract/limits.js';
import { AMOUNT_MAX_CENTS } from '../../contract/money.js';
import { Refusal } from '../../contract/refusals.js';
import { DAY_MS, LAST_INSTANT_MS } from '../../contract/time.js';
import { type Fields, object } from '../../schema/object.js';
import { type Mistake, read, type ReadOptions, type Schema } from '../../schema/schema.js';
import { anyText, anything, isWholeText, number, refine } from '../../schema/values.js';
import { checkedOrigin } from '../identity/applications.js';
import { UUID_PATTERN } from '../ids.js';
import { isWholeJson, wholeNumber } from '../input/kinds.js';
import { isDocument, normaliseDocument, pixKeyType } from '../payments/documents.js';

/** Reads a JSON value; a wrong one is refused (INVALID_REQUEST) with its place. */
export function readAt<Value>(
  schema: Schema<Value>,
  value: unknown,
  place: string,
  options: ReadOptions = {},
): Value {
  const outcome = read(schema, value, { most: 1, ...options });
  const [mistake] = outcome.mistakes;
  if (mistake !== undefined) throw new Refusal('INVALID_REQUEST', sentenceOf(mistake, place));
  return outcome.value as Value;
}

function sentenceOf(mistake: Mistake, place: string): string {
  const steps = mistake.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`));
  const where = `${place}${steps.join('')}`;
  if (mistake.kind === 'unknown') return `${where}: expected no such field.`;
  if (mistake.kind === 'rule') return `${where}: ${mistake.says}`;
  if (mistake.kind === 'choice') return `${where}: expected ${mistake.wanted}.`;
  const got = mistake.kind === 'value' ? mistake.got : undefined;
  return `${where}: expected ${mistake.expected}; got ${(JSON.stringify(got) ?? 'nothing').slice(0, 60)}.`;
}

/** Refuses (INVALID_REQUEST) with the place when the condition is false. */
export function must(holds: boolean, place: string, expected: string): asserts holds {
  if (!holds) throw new Refusal('INVALID_REQUEST', `${place}: expected ${expected}.`);
}

export type FieldsOf<Row> = { readonly [Key in keyof Row]-?: Schema<Row[Key]> };

/** A schema for every field of a row. */
export function row<Row extends object>(fields: FieldsOf<Row>): Schema<Row> {
  return object('an object', fields as unknown as Fields) as Schema<unknown> as Schema<Row>;
}

/** Far above the counts of any real world, and still exact when counting on. */
const COUNT_MAX = 1_000_000_000_000;
const PORT_MAX = 65_535;
const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const URL_FORM = /^https?:\/\/(?:[^\s/?#@:[\]\\]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/[!-~]*$/;

/** A string without lone surrogates. */
export const text = refine<string, string>(anyText(), (value) =>
  isWholeText(value) ? { value } : { expected: 'a string of whole characters' },
);

const JSON_FORM = `a JSON value of whole characters, at most ${LIMITS.jsonDepth} levels deep`;

/** Any JSON that a request body may hold. */
export const json = refine<unknown, unknown>({ ...anything, what: JSON_FORM }, (value) =>
  isWholeJson(value) ? { value } : { expected: JSON_FORM },
);

export const finite = number('a number');

/** A string of whole characters for which `is` holds. */
export function textThat(expected: string, is: (value: string) => boolean): Schema<string> {
  return refine<string, string>(anyText(expected), (value) =>
    isWholeText(value) && is(value) ? { value } : { expected },
  );
}

/** The same for a secret string, which messages must not repeat. */
function secretThat(expected: string, is: (value: string) => boolean): Schema<string> {
  return refine<string, string>(anyText(expected), (value) =>
    isWholeText(value) && is(value) ? { value } : { problem: `expected ${expected}; got another text.` },
  );
}

/** A place among rows, or how many there were. */
export const count = wholeNumber(0, COUNT_MAX);
/** Milliseconds of a requested duration. */
export const durationMs = wholeNumber(0, LAST_INSTANT_MS);
/** An instant that a world may schedule from one in its reach, in milliseconds. */
export const instant = wholeNumber(0, 2 * LAST_INSTANT_MS + DAY_MS);
/** Cents, of a fee and of an amount. */
export const feeCents = wholeNumber(0, AMOUNT_MAX_CENTS);
export const amountCents = wholeNumber(1, AMOUNT_MAX_CENTS);
/** The status of any HTTP answer. */
export const httpStatus = wholeNumber(100, 999);

export const uuid = matching('a UUID', UUID_PATTERN);
/** `whsec_` and base64 as an encoder writes it: whole groups, and no spare bits. */
export const webhookSecret = secretThat('whsec_ followed by base64', (secret) => {
  const encoded = secret.slice(PREFIX.length);
  return secret.startsWith(PREFIX) && encoded !== '' && BASE64.test(encoded);
});
/** A text in a header, such as a bearer token. */
export const token = secretThat('visible ASCII without space', (secret) => /^[\x21-\x7e]+$/.test(secret));
export const secretText = secretThat('a text that is not empty', (secret) => secret !== '');
/** A text in a URL path and in a form. */
export const sessionSecret = secretThat('1 to 140 of A-Z a-z 0-9 _ -', (id) => /^[\w-]{1,140}$/.test(id));
export const nonce = matching(
  `visible ASCII, at most ${LIMITS.nonceLengthMax}`,
  new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.nonceLengthMax}}$`),
);
export const idempotencyKey = matching(
  `printable ASCII, at most ${LIMITS.idempotencyKeyLengthMax}`,
  new RegExp(`^[\\x20-\\x7e]{1,${LIMITS.idempotencyKeyLengthMax}}$`),
);
export const document = textThat(
  'the digits of a CPF or CNPJ',
  (bare) => isDocument(bare) !== undefined && normaliseDocument(bare) === bare,
);
export const pixKey = textThat('a PIX key', (key) => pixKeyType(key) !== undefined);
export const origin = textThat('an origin as it is registered', (text) => originOf(text) === text);
/** The origin of a browser page: a registered origin, or one that matches a pattern. */
export const pageOrigin = textThat('an origin', (text) => originOf(text) !== undefined);
/** As it is registered: http or https, a host, and a path. Whether it may be called is decided at each attempt. */
export const endpointUrl = textThat('an http or https URL of visible ASCII, with a path', (url) => {
  const [, port = '0'] = URL_FORM.exec(url) ?? ['', 'none'];
  return url.length <= LIMITS.urlLength && Number(port) <= PORT_MAX;
});

function matching(expected: string, pattern: RegExp): Schema<string> {
  return textThat(expected, (text) => pattern.test(text));
}

function originOf(text: string): string | undefined {
  try {
    return checkedOrigin(text);
  } catch {
    return undefined;
  }
}
