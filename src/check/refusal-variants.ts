import type { MistakeName } from '../signing/diagnosis/webhook.js';
import { diagnoseWebhook, mistakenSigner } from '../signing/diagnosis/webhook.js';
import type { Parts, ToSign } from './send.js';

/** A valid webhook, signed as a receiver with certain bugs computes it. */
export interface SignatureVariant {
  readonly mistakes: readonly MistakeName[];
  readonly writing: Writing;
  /** The receiver takes the timestamp for milliseconds. */
  readonly isInMilliseconds: boolean;
}

/** Forms of the `webhook-signature` header. */
type Writing = keyof typeof WRITINGS;

const READ_ENTRIES = 'Split webhook-signature at its spaces, and compare what follows v1, in each entry.';
const READ_BASE64 = 'Compare in base64: signatures are v1,<base64>.';

const WRITINGS = {
  standard: { write: (mac: Buffer) => `v1,${mac.toString('base64')}`, did: [], fix: [] },
  hex: {
    write: (mac: Buffer) => `v1,${mac.toString('hex')}`,
    did: ['It is written in hex.'],
    fix: [READ_BASE64],
  },
  unversioned: {
    write: (mac: Buffer) => mac.toString('base64'),
    did: ['It lacks v1, at its beginning.'],
    fix: [READ_ENTRIES],
  },
  'unversioned hex': {
    write: (mac: Buffer) => mac.toString('hex'),
    did: ['It is written in hex, without v1, at its beginning.'],
    fix: [READ_ENTRIES, READ_BASE64],
  },
  'prefixed hex': {
    write: (mac: Buffer) => `sha256=${mac.toString('hex')}`,
    did: ['It is written as sha256=<hex>.'],
    fix: [READ_ENTRIES, READ_BASE64],
  },
} as const;

const MILLISECONDS = {
  did: ['webhook-timestamp is in milliseconds.'],
  fix: [
    'Multiply webhook-timestamp by 1000 before you compare it with a clock in milliseconds: it is in seconds.',
  ],
};

const TEXT_KEYS = ['secret-used-whole', 'secret-not-decoded'];
const BODY_ONLY = 'parts-left-out';
/** First what JSON libraries make of the parsed body, then what is signed in place of a body that was never read. */
const SINGLES = `body-spaced body-reserialised body-php-json body-go-map body-key-order body-key-order#1
  body-left-empty body-unserialised body-python-dict body-python-bytes ${BODY_ONLY} body-buffer-json
  body-indented body-unicode-escaped body-unicode-escaped#1 body-slashes-escaped body-signs-escaped
  body-signs-escaped#1 body-unserialised#4 body-printed body-data-only body-digested id-left-out
  timestamp-left-out body-left-out separator-none separator-line-break separator-other parts-order
  secret-hex-decoded secret-base64url secret-prefix-decoded secret-key-as-hex secret-decoded-to-text
  secret-unset`.split(/\s+/);

/**
 * Key, content and writing of the likely pairs: a text key with another format, and the schemes of GitHub and
 * of Stripe.
 */
const PAIRED: readonly (readonly [content: readonly MistakeName[], writing: Writing])[] = [
  ...(['hex', 'unversioned', 'unversioned hex'] as const).map((writing) => [[], writing] as const),
  ...(['standard', 'prefixed hex', 'unversioned hex', 'hex'] as const).map(
    (writing) => [[BODY_ONLY], writing] as const,
  ),
  ...['spaced', 'php-json', 'go-map', 'unserialised', 'left-empty', 'python-dict', 'python-bytes'].map(
    (body) => [[`body-${body}`], 'standard'] as const,
  ),
  [['id-left-out'], 'hex'],
];

/** The singles, the likely ones first, then the likely pairs. */
const SIGNATURE_VARIANTS: readonly SignatureVariant[] = [
  ...TEXT_KEYS.map((key) => variant([key])),
  variant([], 'hex'),
  variant([], 'unversioned'),
  variant([], 'unversioned hex'),
  { ...variant([]), isInMilliseconds: true },
  ...SINGLES.map((mistake) => variant([mistake])),
  ...TEXT_KEYS.flatMap((key) => PAIRED.map(([content, writing]) => variant([key, ...content], writing))),
  variant([BODY_ONLY], 'unversioned hex'),
];

function variant(mistakes: readonly MistakeName[], writing: Writing = 'standard'): SignatureVariant {
  return { mistakes, writing, isInMilliseconds: false };
}

/** Signs a webhook in a variant; undefined where its body makes no difference to the valid one. */
export function signVariant(
  valid: Parts & ToSign,
  { mistakes, writing, isInMilliseconds }: SignatureVariant,
): Parts | undefined {
  const timestamp = isInMilliseconds ? `${valid.timestamp}000` : valid.timestamp;
  const mac = mistakenSigner({ ...valid, timestamp })(mistakes);
  if (mac === undefined) return undefined;
  const signature = WRITINGS[writing].write(mac);
  return signature === valid.signature ? undefined : { ...valid, timestamp, signature };
}

/** The variants whose signatures differ for a webhook, each once. */
export function distinctVariants(valid: Parts & ToSign): SignatureVariant[] {
  const seen = new Set<string | undefined>([undefined]);
  return SIGNATURE_VARIANTS.filter((one) => {
    const signature = signVariant(valid, one)?.signature;
    return !seen.has(signature) && seen.add(signature);
  });
}

/** Names the mistakes of a variant, as `verify` does, and their fixes in a receiver. */
export function explainVariant(
  valid: Parts & ToSign,
  { mistakes, writing, isInMilliseconds }: SignatureVariant,
) {
  const parts = signVariant(valid, { mistakes, writing: 'standard', isInMilliseconds: false });
  const findings = parts === undefined ? [] : findingsOf(parts, valid.secret);
  const formats = [WRITINGS[writing], ...(isInMilliseconds ? [MILLISECONDS] : [])];
  return {
    did: [...findings, ...formats].flatMap(({ did }) => did),
    fix: [...findings, ...formats].flatMap(({ fix }) => fix),
  };
}

function findingsOf({ id = '', timestamp = '', signature = '', body }: Parts, secret: string) {
  const webhook = { body, headers: { id, timestamp, signature } };
  const nowS = Number(timestamp);
  return diagnoseWebhook(webhook, { secrets: [{ secret }], nowS, effort: 'pairs' });
}
