// Defines the signing errors in which something other than the raw body was signed.
import { expandErrors, type SignedMessageInput } from './diagnose.js';
import { OBJECT_TEXTS, UNSET_TEXTS } from './errors.js';
import {
  escapeAscii,
  BYTE_LIST_FORMATS,
  escapeLikeDotnet,
  escapeLikeGson,
  escapeHtml,
  type JsonBody,
  MAX_REWRITTEN_BYTES,
  toObject,
  escapeLikePhp,
  printValue,
  LANGUAGE_PRINTERS,
  formatPythonBytes,
  formatPythonText,
  respaceJson,
  reverseKeys,
  sortKeys,
  omitNulls,
} from './rewriting.js';

const SIGN_THE_BYTES =
  'Use the bytes on the wire: serialize once and sign what you send; verify the raw body before you parse it.';
const JSON_BODY = ['The JSON was signed', SIGN_THE_BYTES] as const;
const BODY = ['The body was signed', SIGN_THE_BYTES] as const;

/** Returns a list with the parsed JSON body, or an empty list if the body is not JSON. @internal */
export const listJsonBodies = ({ json }: SignedMessageInput): readonly JsonBody[] =>
  json === undefined ? [] : [json];

function nonEmptyBody({ right }: SignedMessageInput): Buffer[] {
  return right.body.length > 0 ? [Buffer.from(right.body)] : [];
}

const shortBody = (message: SignedMessageInput) =>
  nonEmptyBody(message).filter(({ length }) => length <= MAX_REWRITTEN_BYTES);

/** Decodes the body as Latin-1, so every byte becomes one character. */
const bodyText = (message: SignedMessageInput) => shortBody(message).map((body) => body.toString('latin1'));

const latin1 = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));

const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

const jsonErrors = expandErrors('body', listJsonBodies, JSON_BODY, {
  'body-compact': ['without its whitespace', ({ text }) => [respaceJson(text, ',', ':')]],
  'body-spaced': [
    'with different spacing after commas and colons',
    ({ text }) => [respaceJson(text, ', ', ': '), respaceJson(text, ',', ': '), respaceJson(text, ', ', ':')],
  ],
  'body-indented': [
    'with line breaks and indentation',
    ({ value }) => [2, 4, '\t', 1, 3].map((indent) => JSON.stringify(value, null, indent)),
  ],
  'body-reserialised': [
    'after being parsed and serialized again',
    ({ value }) => [JSON.stringify(value), respaceJson(JSON.stringify(value), ', ', ': ')],
  ],
  'body-unicode-escaped': ['with non-ASCII characters escaped differently (\\u00e7 or ç)', unicodeForms],
  'body-slashes-escaped': ['with slashes escaped differently than sent', slashForms],
  'body-html-escaped': [
    'with < > & escaped',
    ({ text }) => [escapeHtml(text), escapeHtml(respaceJson(text, ',', ':'))],
  ],
  'body-php-json': ['as formatted by json_encode in PHP, with \\/ for / and \\u00e7 for ç', phpForms],
  'body-signs-escaped': [
    'with characters escaped in the style of System.Text.Json (C#) or Gson (Java)',
    ({ value }) =>
      [JSON.stringify(value), JSON.stringify(value, null, 2)].flatMap((text) => [
        escapeLikeDotnet(text),
        escapeLikeGson(text),
      ]),
  ],
  'body-key-order': ['with its keys in a different order', keyOrders],
  'body-go-map': ['as a Go map, with sorted keys and with < > & escaped', goForms],
  'body-keys-filtered': [
    'without the nested keys that the second argument of JSON.stringify omitted',
    filteredForms,
  ],
  'body-encoded-twice': [
    'after being encoded twice',
    ({ text, value }) => [JSON.stringify(text), typeof value === 'string' ? value : undefined],
  ],
  'body-nulls-left-out': ['without null fields', ({ value }) => [JSON.stringify(omitNulls(value))]],
  'body-field-left-out': ['with one field missing', fieldsLeftOut],
  'body-amount-type': ['with an amount as a number instead of a string, or vice versa', amountForms],
  'body-form-encoded': [
    'as form data (a=1&b=2)',
    ({ value }) => (toObject(value) ? [formEncoded(value), nestedForm(value)] : []),
  ],
});

function unicodeForms({ text, value }: JsonBody): string[] {
  const escaped = escapeAscii(text);
  return [escaped, respaceJson(escaped, ', ', ': '), respaceJson(escaped, ',', ':'), JSON.stringify(value)];
}

function slashForms({ text }: JsonBody): string[] {
  const compact = respaceJson(text, ',', ':');
  return [text.replaceAll('/', '\\/'), compact.replaceAll('/', '\\/'), text.replaceAll('\\/', '/')];
}

function phpForms({ value }: JsonBody): string[] {
  const compact = escapeLikePhp(JSON.stringify(value));
  const withLists = compact.replaceAll(/(?<=^|[:,[])\{\}/g, '[]');
  return [compact, escapeLikePhp(JSON.stringify(value, null, 4)), withLists];
}

function goForms({ value }: JsonBody): string[] {
  const texts = [sortKeys(value), sortKeys(value, 1)].map((sorted) => escapeHtml(JSON.stringify(sorted)));
  return texts.flatMap((text) => [text, `${text}\n`]);
}

function filteredForms({ value }: JsonBody): string[] {
  const keys = Object.keys(toObject(value) ?? {});
  return keys.length === 0 ? [] : [keys.toSorted(), keys].map((listed) => JSON.stringify(value, listed));
}

const BLANKS_BEFORE = /^[\t\n\v\f\r ]+/;
const BLANKS_AFTER = /(?<![\t\n\v\f\r ])[\t\n\v\f\r ]+$/;

const textErrors = expandErrors('body', bodyText, BODY, {
  'body-newline-added': ['with a trailing line break', (body) => latin1(`${body}\n`, `${body}\r\n`)],
  'body-trimmed': [
    'without surrounding whitespace',
    (body) => {
      const trimmed = body.replace(BLANKS_AFTER, '');
      return latin1(trimmed.replace(BLANKS_BEFORE, ''), trimmed);
    },
  ],
  'body-line-endings': [
    'with different line endings',
    (body) => latin1(body.replaceAll('\r\n', '\n'), body.replaceAll(/\r?\n/g, '\r\n')),
  ],
  'body-byte-order-mark': [
    'with a byte order mark added or removed',
    (body) => latin1(body.startsWith(BYTE_ORDER_MARK) ? body.slice(3) : BYTE_ORDER_MARK + body),
  ],
});

const byteErrors = expandErrors('body', shortBody, BODY, {
  'body-charset': ['in a different character encoding than sent', charsets],
  'body-base64': ['in base64 or hex', (body) => [body.toString('base64'), body.toString('hex')]],
});

function charsets(body: Buffer): (string | Buffer)[] {
  const text = body.toString('utf8');
  return [text, Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le'), body.toString('latin1')];
}

const emptyBody = ({ right }: SignedMessageInput) => (right.body.length === 0 ? [''] : []);
const EMPTY = ['The body was signed', 'If there is no body, sign zero bytes.'] as const;

const missingErrors = [
  ...expandErrors('body', emptyBody, EMPTY, {
    'body-empty-form': [
      'The body is empty, but other content was signed.',
      () => ['{}', 'null', '""', 'undefined', '[]', ' ', '\n', 'None'],
    ],
  }),
  ...expandErrors('body', nonEmptyBody, BODY, {
    'body-left-empty': ['as if it were empty', () => [''], 'Sign the body that you send.'],
    'body-unserialised': [
      'as a stringified object or unset value',
      () => [...OBJECT_TEXTS, ...UNSET_TEXTS.slice(1), '{}'],
    ],
  }),
];

const NOT_THE_OBJECT =
  'Sign the bytes of the body as sent or received, not the parsed object; str() of a dict is not JSON.';

const printedErrors = [
  ...expandErrors('body', listJsonBodies, BODY, {
    'body-python-dict': [
      'as a Python dict or string formatted by str(), repr() or an f-string, not as JSON',
      ({ text, value }) => [printValue(value, LANGUAGE_PRINTERS.python), formatPythonText(text)],
      NOT_THE_OBJECT,
    ],
    'body-printed': [
      'as a map or hash printed by Ruby, Java or Go, not as JSON',
      ({ value }) => [
        printValue(value, LANGUAGE_PRINTERS.ruby),
        printValue(value, LANGUAGE_PRINTERS.newRuby),
        printValue(value, LANGUAGE_PRINTERS.java),
        printValue(sortKeys(value), LANGUAGE_PRINTERS.go),
      ],
    ],
  }),
  ...expandErrors('body', shortBody, BODY, {
    'body-python-bytes': [
      "as the string form b'…' of Python bytes",
      (body) => [formatPythonBytes(body)],
      "Join or hash the body as bytes; str() or an f-string turns bytes into b'…'.",
    ],
    'body-buffer-json': [
      'as {"type":"Buffer","data":[…]}: JSON.stringify was called on a Buffer',
      (body) => [JSON.stringify(body)],
      'Pass the Buffer itself to update(); it already contains the bytes on the wire.',
    ],
    'body-byte-list': [
      'as a list of decimal numbers, one per byte',
      (body) => BYTE_LIST_FORMATS.map((write) => write(body)),
    ],
  }),
];

/** @internal */
export const BODY_ERRORS = [jsonErrors, textErrors, byteErrors, missingErrors, printedErrors].flat();

function keyOrders({ value }: JsonBody): string[] {
  const given = JSON.stringify(value);
  const { code, account_id, amount, payer_document, ...rest } = toObject(value) ?? {};
  const orders = [
    sortKeys(value),
    sortKeys(value, 1),
    reverseKeys(value),
    reverseKeys(value, 1),
    // Charge fields in contract order (§4.1).
    { code, account_id, amount, payer_document, ...rest },
  ].filter((order) => JSON.stringify(order) !== given);
  // List likely orders first: the pair search tries only a few variants.
  const likely = orders.slice(0, 2).flatMap((order) => writings(order).slice(0, 2));
  return [...likely, ...orders.flatMap(writings)];
}

/** Serializes a value in the styles of several languages. */
function writings(value: unknown): string[] {
  const compact = JSON.stringify(value);
  const ascii = escapeAscii(compact);
  return [
    compact,
    respaceJson(compact, ', ', ': '),
    JSON.stringify(value, null, 2),
    ascii,
    escapeLikePhp(compact),
    respaceJson(ascii, ', ', ': '),
  ];
}

function fieldsLeftOut({ value }: JsonBody): string[] {
  const entries = Object.entries(toObject(value) ?? {});
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

function formEncoded(value: unknown): string {
  const form = new URLSearchParams();
  for (const [key, held] of Object.entries(toObject(value) ?? {}))
    form.set(key, typeof held === 'string' ? held : JSON.stringify(held));
  return form.toString();
}

/** Encodes nested field names in brackets, like PHP and Rails. */
function nestedForm(value: unknown): string {
  const form = new URLSearchParams();
  const add = (name: string, held: unknown): void => {
    if (typeof held === 'object' && held !== null) {
      for (const [key, inner] of Object.entries(held)) add(name === '' ? key : `${name}[${key}]`, inner);
    } else if (held !== null) form.set(name, typeof held === 'string' ? held : String(Number(held)));
  };
  add('', value);
  return form.toString();
}
