// How the official libraries decide that are no npm packages, written down from their sources: the folders python, php, ruby,
// go and java of github.com/standard-webhooks/standard-webhooks at b2fa7b8 (August 2026). Whatever they throw is a refusal.
import { isUtf8 } from 'node:buffer';
import { hmacOf } from '../diagnosis/sender.js';
import { bodyBytes, type WebhookVector } from './vector.js';

interface Library {
  /** The seconds that a timestamp header is read as; they are signed again as a whole number. */
  readonly seconds: (header: string) => number | undefined;
  /** Whether one entry of the signature header is the expected one. Throws where the library does. */
  readonly isMatch: (entry: string, expected: string) => boolean;
  readonly entries?: (header: string) => string[];
  /** The bytes that are signed for a body; undefined where it cannot be read. */
  readonly signed?: (body: Buffer) => Buffer | undefined;
  /** Parses the body of a message that holds, and throws where that fails. */
  readonly parse?: (body: Buffer) => unknown;
}

const TOLERANCE_S = 300;
const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function acceptedBy(library: Library, vector: WebhookVector): boolean {
  const { seconds: secondsOf, entries = (header) => header.split(' '), isMatch, parse } = library;
  const [id, timestamp, signature] = HEADERS.map((name) => vector.headers[name]);
  if (!id || !timestamp || !signature) return false;
  const seconds = secondsOf(timestamp);
  if (seconds === undefined || Math.abs(vector.now_s - seconds) > TOLERANCE_S) return false;
  const body = bodyBytes(vector);
  const signed = library.signed === undefined ? body : library.signed(body);
  if (signed === undefined) return false;
  return vector.secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    if (key.length === 0) return false;
    const content = Buffer.concat([Buffer.from(`${id}.${seconds}.`), signed]);
    const expected = hmacOf('sha256', key, content).toString('base64');
    try {
      const isHeld = entries(signature).some((entry) => isMatch(entry, expected));
      if (isHeld) parse?.(body);
      return isHeld;
    } catch {
      return false;
    }
  });
}

/** The last second of the year 9999, the largest that Python's datetime holds. */
const PYTHON_MAX_S = 253_402_300_799;

const PYTHON: Library = {
  seconds: (header) => {
    const digits = /^\s*([+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*$/i.exec(header)?.[1];
    const seconds = digits === undefined ? Number.NaN : Math.floor(Number(digits.replaceAll('_', '')));
    return seconds <= PYTHON_MAX_S ? seconds : undefined;
  },
  isMatch: (entry, expected) => {
    const [version, signature, ...others] = entry.split(',');
    if (signature === undefined || others.length > 0) throw new Error('not two values to unpack');
    return version === 'v1' && pythonBase64(signature).toString('base64') === expected;
  },
  signed: (body) => (isUtf8(body) ? body : undefined),
  parse: (body) => body.toString() === 'NaN' || JSON.parse(body.toString()),
};

/** `base64.b64decode`: passes over foreign characters, spare bits and all that follows the padding. */
function pythonBase64(text: string): Buffer {
  let digits = '';
  let padding = 0;
  for (const character of text) {
    if (/[A-Za-z0-9+/]/.test(character)) {
      digits += character;
      padding = 0;
    } else if (character === '=' && digits.length % 4 >= 2) {
      padding += 1;
      if ((digits.length % 4) + padding >= 4) return Buffer.from(digits, 'base64');
    }
  }
  if (digits.length % 4 !== 0) throw new Error('incorrect padding');
  return Buffer.from(digits, 'base64');
}

const PHP: Library = {
  seconds: (header) => {
    const number = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i.exec(header)?.[1];
    const seconds = Math.trunc(Number(number ?? 0));
    return seconds > 0 ? seconds : undefined;
  },
  isMatch: (entry, expected) => textAfterVersion(entry) === expected,
};

const RUBY: Library = {
  seconds: (header) => {
    const [, sign = '', digits] = /^\s*([+-]?)(\w+)\s*$/.exec(header) ?? [];
    if (digits === undefined || /^_|__|_$/.test(digits)) return undefined;
    // A leading zero means octal, as in Ruby's source.
    const seconds = Number(digits.replaceAll('_', '').replace(/^0o?(?=\d)/i, '0o'));
    return Number.isNaN(seconds) ? undefined : Number(`${sign}1`) * seconds;
  },
  entries: (header) => header.split(/\s+/).filter((entry) => entry !== ''),
  isMatch: (entry, expected) => textAfterVersion(entry) === expected,
  // Its parser does not look at the encoding.
  parse: (body) => JSON.parse(body.toString('latin1')),
};

/** What follows `v1,`; PHP and Ruby throw where there is no comma, and an entry of another version is passed over. */
function textAfterVersion(entry: string): string | undefined {
  const [version, ...rest] = entry.split(',');
  if (version !== 'v1') return undefined;
  if (rest.length === 0) throw new TypeError('nothing to compare with');
  return rest.join(',');
}

const GO: Library = {
  seconds: (header) => (/^[+-]?\d+$/.test(header) ? Number(header) : undefined),
  isMatch: (entry, expected) => {
    const [version, signature] = entry.split(',');
    return version === 'v1' && signature === expected;
  },
};

/** Takes the body as text, so what is not UTF-8 has been replaced before: half of a surrogate pair by one character. */
const JAVA: Library = {
  ...GO,
  signed: (body) => {
    const halves = /\u00ed[\u00a0-\u00bf][\u0080-\u00bf]/g;
    const replaced = body.toString('latin1').replaceAll(halves, Buffer.from('\ufffd').toString('latin1'));
    return Buffer.from(Buffer.from(replaced, 'latin1').toString());
  },
};

/** Whether the official library of a language accepts a webhook, with any one of its secrets. */
export const OFFICIAL_LIBRARIES: Readonly<Record<string, (vector: WebhookVector) => boolean>> =
  Object.fromEntries(
    Object.entries({
      'Python standardwebhooks': PYTHON,
      'PHP standardwebhooks': PHP,
      'Ruby standardwebhooks': RUBY,
      'Go standardwebhooks': GO,
      'Java standardwebhooks': JAVA,
    }).map(([name, library]) => [name, (vector) => acceptedBy(library, vector)]),
  );
