// Other bytes that were signed instead of the body of a request or a webhook.
import { errorsIn, type Message, type SigningError } from './diagnose.js';
import { OBJECT_TEXTS, UNSET_TEXTS } from './errors.js';
import {
  asciiEscaped,
  BYTE_LISTS,
  dotnetEscaped,
  gsonEscaped,
  htmlEscaped,
  type JsonBody,
  MAX_REWRITTEN_BYTES,
  objectOf,
  phpEscaped,
  printed,
  PRINTERS,
  pythonBytes,
  pythonText,
  respaced,
  reversedKeys,
  sortedKeys,
  withoutNulls,
} from './rewriting.js';

const SIGN_THE_BYTES =
  'Use the bytes on the wire: serialise once and sign what you send; verify what arrives before you parse it.';

/** The body as JSON, if it is JSON. @internal */
export const jsonOf = ({ json }: Message): readonly JsonBody[] => (json === undefined ? [] : [json]);

function nonEmptyBody({ right }: Message): Buffer[] {
  return right.body.length > 0 ? [Buffer.from(right.body)] : [];
}

const shortBody = (message: Message) =>
  nonEmptyBody(message).filter(({ length }) => length <= MAX_REWRITTEN_BYTES);

/** The body with one character for each byte, so that it may be in any character set. */
const bodyText = (message: Message) => shortBody(message).map((body) => body.toString('latin1'));

const latin1 = (...texts: string[]) => texts.map((text) => Buffer.from(text, 'latin1'));

const BYTE_ORDER_MARK = '\u00EF\u00BB\u00BF';

const jsonErrors = errorsIn('body', jsonOf, SIGN_THE_BYTES, {
  'body-compact': ['The JSON was signed without its white space.', ({ text }) => [respaced(text, ',', ':')]],
  'body-spaced': [
    'The JSON was signed with different spaces after its commas and colons.',
    ({ text }) => [respaced(text, ', ', ': '), respaced(text, ',', ': '), respaced(text, ', ', ':')],
  ],
  'body-indented': [
    'The JSON was signed with line breaks and indentation.',
    ({ value }) => [2, 4, 3, '\t'].map((indent) => JSON.stringify(value, null, indent)),
  ],
  'body-reserialised': [
    'The JSON was parsed and serialised again before it was signed.',
    ({ value }) => [JSON.stringify(value), respaced(JSON.stringify(value), ', ', ': ')],
  ],
  'body-unicode-escaped': [
    'The JSON was signed with non-ASCII characters in the other notation (\\u00e7 or ç).',
    ({ text, value }) => {
      const escaped = asciiEscaped(text);
      const spaced = [respaced(escaped, ', ', ': '), respaced(escaped, ',', ':')];
      return [escaped, ...spaced, JSON.stringify(value)];
    },
  ],
  'body-slashes-escaped': [
    'The JSON was signed with its slashes escaped differently from the one sent.',
    ({ text }) => [
      text.replaceAll('/', '\\/'),
      respaced(text, ',', ':').replaceAll('/', '\\/'),
      text.replaceAll('\\/', '/'),
    ],
  ],
  'body-html-escaped': [
    'The JSON was signed with < > & escaped.',
    ({ text }) => [htmlEscaped(text), htmlEscaped(respaced(text, ',', ':'))],
  ],
  'body-php-json': [
    'The JSON was signed as json_encode of PHP writes it: with \\/ for / and \\u00e7 for ç.',
    ({ value }) => [
      phpEscaped(JSON.stringify(value)),
      phpEscaped(JSON.stringify(value, null, 4)),
      phpEscaped(JSON.stringify(value)).replaceAll(/(?<=^|[:,[])\{\}/g, '[]'),
    ],
  ],
  'body-signs-escaped': [
    'The JSON was signed with signs and letters escaped as in System.Text.Json (C#) or Gson (Java).',
    ({ value }) =>
      [JSON.stringify(value), JSON.stringify(value, null, 2)].flatMap((text) => [
        dotnetEscaped(text),
        gsonEscaped(text),
      ]),
  ],
  'body-key-order': ['The JSON was signed with its keys in another order.', keyOrders],
  'body-go-map': [
    'The JSON was signed as Go writes a map: with sorted keys and with < > & escaped.',
    ({ value }) =>
      [sortedKeys(value), sortedKeys(value, 1)]
        .map((sorted) => htmlEscaped(JSON.stringify(sorted)))
        .flatMap((text) => [text, `${text}\n`]),
  ],
  'body-keys-filtered': [
    'The JSON was signed without the nested keys that the second argument of JSON.stringify does not list.',
    ({ value }) => {
      const keys = Object.keys(objectOf(value) ?? {});
      return keys.length === 0 ? [] : [keys.toSorted(), keys].map((listed) => JSON.stringify(value, listed));
    },
  ],
  'body-encoded-twice': [
    'The JSON was encoded twice.',
    ({ text, value }) => [JSON.stringify(text), typeof value === 'string' ? value : undefined],
  ],
  'body-nulls-left-out': [
    'The JSON was signed without the fields that are null.',
    ({ value }) => [JSON.stringify(withoutNulls(value))],
  ],
  'body-field-left-out': ['The JSON was signed without one of its fields.', fieldsLeftOut],
  'body-amount-type': [
    'The JSON was signed with an amount as a number instead of a string, or the other way round.',
    amountForms,
  ],
  'body-form-encoded': [
    'The body was signed as a form (a=1&b=2).',
    ({ value }) => (objectOf(value) ? [formEncoded(value), nestedForm(value)] : []),
  ],
});

const textErrors = errorsIn('body', bodyText, SIGN_THE_BYTES, {
  'body-newline-added': [
    'A line break was signed after the body.',
    (body) => latin1(`${body}\n`, `${body}\r\n`),
  ],
  'body-trimmed': [
    'The body was signed without the white space around it.',
    // The bytes of UTF-8 that look like blanks in Latin-1 stay.
    (body) =>
      latin1(body.replaceAll(/^[\t\n\v\f\r ]+|[\t\n\v\f\r ]+$/g, ''), body.replace(/[\t\n\v\f\r ]+$/, '')),
  ],
  'body-line-endings': [
    'The body was signed with other line endings.',
    (body) => latin1(body.replaceAll('\r\n', '\n'), body.replaceAll(/\r?\n/g, '\r\n')),
  ],
  'body-byte-order-mark': [
    'The body was signed with a byte order mark that it lacks, or without the one it has.',
    (body) => latin1(body.startsWith(BYTE_ORDER_MARK) ? body.slice(3) : BYTE_ORDER_MARK + body),
  ],
});

const byteErrors = errorsIn('body', shortBody, SIGN_THE_BYTES, {
  'body-charset': [
    'The body was signed in a different character set than it was sent in.',
    (body) => {
      const text = body.toString('utf8');
      return [text, Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le'), body.toString('latin1')];
    },
  ],
  'body-base64': [
    'The body was signed in base64 or hex.',
    (body) => [body.toString('base64'), body.toString('hex')],
  ],
  'body-python-bytes': [
    "The text b'…' of Python bytes was signed, not the bytes.",
    (body) => [pythonBytes(body)],
    "Join or hash the body as bytes; str() or an f-string of bytes writes b'…'.",
  ],
  'body-buffer-json': [
    'The body was signed as {"type":"Buffer","data":[…]}: JSON.stringify was called on a Buffer.',
    (body) => [JSON.stringify(body)],
    'Pass the Buffer itself to update(); it already has the bytes on the wire.',
  ],
  'body-byte-list': [
    'The body was signed as a list of decimal numbers, one for each byte.',
    (body) => BYTE_LISTS.map((write) => write(body)),
  ],
});

const missingErrors = [
  ...errorsIn(
    'body',
    ({ right }) => (right.body.length === 0 ? [''] : []),
    'If there is no body, sign zero bytes.',
    {
      'body-empty-form': [
        'The body is empty, but something was signed for it.',
        () => ['{}', 'null', '""', 'undefined', '[]', ' ', '\n', 'None'],
      ],
    },
  ),
  ...errorsIn('body', nonEmptyBody, SIGN_THE_BYTES, {
    'body-left-empty': [
      'The body was signed as if it were empty.',
      () => [''],
      'Sign the body that you send.',
    ],
    'body-unserialised': [
      'An object or an unset value was signed instead of the text of the body.',
      () => [...OBJECT_TEXTS, ...UNSET_TEXTS.slice(1), '{}'],
    ],
  }),
];

const printedErrors = errorsIn('body', jsonOf, SIGN_THE_BYTES, {
  'body-python-dict': [
    'The text of a Python dict or string was signed, as str(), repr() or an f-string makes it, not the JSON.',
    ({ text, value }) => [printed(value, PRINTERS.python), pythonText(text)],
    'Sign the bytes of the body, as sent or as received, and not the parsed object; str() of a dict is not JSON.',
  ],
  'body-printed': [
    'The text of a map or hash was signed, as Ruby, Java or Go prints it, not the JSON.',
    ({ value }) => [
      printed(value, PRINTERS.ruby),
      printed(value, PRINTERS.newRuby),
      printed(value, PRINTERS.java),
      printed(sortedKeys(value), PRINTERS.go),
    ],
  ],
});

/** @internal */
export const BODY_ERRORS: readonly SigningError[] = [
  ...jsonErrors,
  ...textErrors,
  ...byteErrors.slice(0, 2),
  ...missingErrors,
  ...printedErrors,
  ...byteErrors.slice(2),
];

function keyOrders({ value }: JsonBody): string[] {
  const given = JSON.stringify(value);
  const { code, account_id, amount, payer_document, ...rest } = objectOf(value) ?? {};
  const orders = [
    sortedKeys(value),
    sortedKeys(value, 1),
    reversedKeys(value),
    reversedKeys(value, 1),
    // The fields of a charge in the order of the contract (§4.1).
    { code, account_id, amount, payer_document, ...rest },
  ].filter((order) => JSON.stringify(order) !== given);
  // The likely ones first, because pairs are tried with only a few.
  const likely = orders.slice(0, 2).flatMap((order) => writings(order).slice(0, 2));
  return [...likely, ...orders.flatMap(writings)];
}

/** A value as the serialisers of several languages write it. */
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

function fieldsLeftOut({ value }: JsonBody): string[] {
  const entries = Object.entries(objectOf(value) ?? {});
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
  for (const [key, held] of Object.entries(objectOf(value) ?? {}))
    form.set(key, typeof held === 'string' ? held : JSON.stringify(held));
  return form.toString();
}

/** A form with the names of nested fields in brackets, as PHP and Rails write it. */
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
