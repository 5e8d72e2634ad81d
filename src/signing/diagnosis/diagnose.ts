import { hash } from 'node:crypto';
import { type Bytes, computeHmacSha256 } from '../message.js';
import { matchReading, type SignatureReading, parseObjectText } from './signature-text.js';

/**
 * Certainty of a finding: `proved`, this error reproduces the signature; `observed`, visible in the headers;
 * `possible`, likely although the message is valid; `unexplained`, no known error explains the signature.
 */
export type Certainty = 'proved' | 'observed' | 'possible' | 'unexplained';

/** One difference from a correct signature. Its texts never contain a key, a secret or an expected signature. */
export interface SigningFinding {
  /** Stable, in kebab case. */
  readonly id: string;
  readonly did: string;
  readonly expected: string;
  readonly fix: string;
  readonly certainty: Certainty;
  /** Ids of other mistakes that give the same signature for this message. */
  readonly alike: readonly string[];
}

/**
 * A secret for the diagnosis to try. Without a note it counts as current; a `credential` has another purpose,
 * such as a token.
 */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other' | 'credential';
}

/** The depth of a diagnosis: single mistakes, or also pairs. */
export type Effort = 'singles' | 'pairs';

/**
 * When a message arrived, and how deep to search. `toleranceS` defaults to 300, `effort` to `singles`; `maxBytes`
 * limits the bytes hashed.
 */
export interface DiagnosisContext {
  readonly nowS: number;
  readonly toleranceS?: number;
  readonly effort?: Effort;
  readonly maxBytes?: number;
}

/** A finding that needs no search. @internal */
export function createObservedFinding(
  id: string,
  did: string,
  expected: string,
  fix: string,
): SigningFinding {
  return { id, did, expected, fix, certainty: 'observed', alike: [] };
}

/** The parts of the signed content; `id` is the nonce of a request or the id of a webhook. @internal */
export type PartName = 'timestamp' | 'id' | 'method' | 'path' | 'body';

/** Makes the signed form of a body, from the body or its digest. @internal */
export type BodyForm = (body: Bytes, sha256: () => Buffer) => Bytes;

/** Computes the bytes of a signature. @internal */
export type Algorithm = (key: Bytes, content: readonly Bytes[]) => Buffer;

/** A way to compute a signature: the correct one, or one with errors. @internal */
export interface SigningPlan {
  readonly key: Bytes;
  readonly algorithm: Algorithm;
  readonly order: readonly PartName[];
  readonly separator: string;
  readonly ending: string;
  readonly timestamp: Bytes;
  readonly id: Bytes;
  readonly method: Bytes;
  readonly path: Bytes;
  readonly body: Bytes;
  readonly bodyForm: BodyForm;
}

/** The algorithm of both signatures (§5.2, §5.5). @internal */
export const HMAC_SHA256: Algorithm = (key, content) => computeHmacSha256(key, ...content);

/** The signed content of a plan, in chunks. @internal */
export function buildContent(
  plan: SigningPlan,
  sha256 = (): Buffer => hash('sha256', plan.body, 'buffer'),
): Bytes[] {
  const chunks: Bytes[] = [];
  let text = '';
  for (const [index, name] of plan.order.entries()) {
    const part = name === 'body' ? plan.bodyForm(plan.body, sha256) : plan[name];
    if (index > 0) text += plan.separator;
    if (typeof part === 'string') text += part;
    else {
      chunks.push(text, part);
      text = '';
    }
  }
  return [...chunks, text + plan.ending];
}

/** A received message, as the tables see it. @internal */
export interface SignedMessageInput {
  readonly right: SigningPlan;
  /** Unix seconds of the timestamp header, if unambiguous. */
  readonly seconds: number | undefined;
  /** The request-target, empty for a webhook. */
  readonly target: string;
  readonly host: string | undefined;
  /** The bearer token of a request. */
  readonly token: string | undefined;
  readonly secrets: readonly KnownSecret[];
  readonly keyOf: (secret: string) => Bytes;
  /** The body as JSON, if it is JSON and short enough to rewrite. */
  readonly json: { readonly text: string; readonly value: unknown } | undefined;
}

/** A change to the correct plan; `detail` distinguishes it from the others of its error. @internal */
export interface SigningVariant {
  readonly change: Partial<SigningPlan>;
  readonly detail?: string;
}

/** A row of the tables; the likely variants come first. @internal */
export interface SigningError {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
  readonly variants: (message: SignedMessageInput) => readonly SigningVariant[];
}

/** Errors about one part of a signature, of which a message has at most one. @internal */
export interface ErrorGroup {
  readonly expected: string;
  readonly errors: readonly SigningError[];
}

/** Other values for a field: a list in which undefined ones are dropped, or by the detail that describes them. */
type Values<Value> = readonly (Value | undefined)[] | Readonly<Record<string, Value>>;

type Row<Value, Input> = readonly [
  did: string,
  values: (input: Input, message: SignedMessageInput) => Values<Value>,
  fix?: string,
];

/**
 * Makes the errors about one field of the plan; each row lists other values for each input of a message. The words
 * of a row follow the subject, unless they are a sentence. @internal
 */
export function expandErrors<Field extends keyof SigningPlan, Input>(
  field: Field,
  inputsOf: (message: SignedMessageInput) => readonly Input[],
  [subject, sharedFix]: readonly [subject: string, fix: string],
  rows: Readonly<Record<string, Row<SigningPlan[Field], Input>>>,
): SigningError[] {
  return Object.entries(rows).map(([id, [words, valuesOf, fix = sharedFix]]) => {
    const did = words.endsWith('.') ? words : `${subject} ${words}.`;
    const variants = (message: SignedMessageInput) => {
      const seen = new Set([identityOf(message.right[field])]);
      return inputsOf(message).flatMap((input) => {
        const values: Values<SigningPlan[Field]> = valuesOf(input, message);
        return Object.entries<SigningPlan[Field] | undefined>(values).flatMap(
          ([detail, value]): SigningVariant[] => {
            const identity = identityOf(value);
            if (value === undefined || seen.has(identity)) return [];
            seen.add(identity);
            const change: { -readonly [Key in keyof SigningPlan]?: SigningPlan[Key] } = {};
            change[field] = value;
            return [Array.isArray(values) ? { change } : { change, detail }];
          },
        );
      });
    };
    return { id, did, fix, variants };
  });
}

function identityOf(value: unknown): unknown {
  const isAscii = typeof value === 'string' && Buffer.byteLength(value) === value.length;
  if (isAscii) return value;
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return Array.isArray(value) ? value.join() : value;
}

/** Returns true for a secret with which a valid message may be signed. @internal */
export function isCurrentSecret({ note = 'current' }: KnownSecret): boolean {
  return note === 'current';
}

/** A message whose signature is to be explained, and the texts of its findings. @internal */
export interface ReceivedSignature {
  readonly message: SignedMessageInput;
  /** The findings that need no search. */
  readonly seen: readonly SigningFinding[];
  readonly signature: string | undefined;
  readonly readings: readonly SignatureReading[];
  readonly groups: readonly ErrorGroup[];
  readonly expected: { readonly whole: string; readonly signature: string };
  /** Causes beyond any search, and how to distinguish them. */
  readonly remaining: () => { readonly causes: string; readonly fix: string };
}

/**
 * Byte budget for hashing. Counted instead of timed, so the same message always gives the same result; it
 * covers every error for a body of ordinary size.
 */
const MAX_BYTES: Readonly<Record<Effort, number>> = {
  singles: 16 * 1024 * 1024,
  pairs: 512 * 1024 * 1024,
};

/** Diagnoses a message: first without a search, then by searching for its signature. @internal */
export function diagnose(
  { seen, signature, expected, remaining, ...received }: ReceivedSignature,
  { effort = 'singles', maxBytes = MAX_BYTES[effort] }: DiagnosisContext,
): SigningFinding[] {
  if (!signature) return [...seen];
  const object = parseObjectText(signature);
  if (object !== undefined) {
    const did = `The signature is the text of an object or an unset value: ${object}.`;
    return [...seen, createObservedFinding('signature-is-object', did, expected.signature, ENCODE_THE_BYTES)];
  }
  if (received.readings.length === 0) {
    const did = 'The signature is not bytes in hex, in base64 or in another known encoding.';
    const fix = 'Send all 32 bytes of the HMAC in the expected encoding.';
    return [...seen, createObservedFinding('signature-unreadable', did, expected.signature, fix)];
  }
  const hit = searchErrors(received, effort, maxBytes);
  if (typeof hit !== 'string') return [...seen, ...findingsOf(hit, expected.signature)];
  const [id, did] = UNEXPLAINED[hit];
  const { causes, fix } = remaining();
  const finding = { id, did: `${did} ${causes}.`, expected: expected.whole, fix, alike: [] };
  return [...seen, { ...finding, certainty: 'unexplained' }];
}

const ENCODE_THE_BYTES =
  'Encode the bytes of the HMAC: call digest with the encoding, and await functions returning a promise.';

const UNEXPLAINED = {
  unexplained: ['unknown-secret', 'No known signing error explains the signature:'],
  exhausted: [
    'tries-exhausted',
    'The search ended at its limit without an explanation: an error was not tried, or',
  ],
} as const;

/** One variant of an error, and its number among them. */
interface Trial {
  readonly group: ErrorGroup;
  readonly error: SigningError;
  readonly variant: SigningVariant;
  readonly number: number;
}

/** Trials that together reproduce the signature, and the ids that could replace each one. */
interface Hit {
  readonly trials: readonly (readonly [Trial, alike: readonly string[]])[];
  readonly reading: SignatureReading;
}

/** The cost of a signature over no content, in bytes. */
const MIN_COST_BYTES = 4096;
/** Variants per error in pairs; they precede the remaining variants of some errors. */
const MAX_PAIRED = 5;
const MAX_USUAL = 50;

/** Searches for the errors that explain a signature: none, then one, then two. @internal */
export function searchErrors(
  { message, readings, groups }: Pick<ReceivedSignature, 'message' | 'readings' | 'groups'>,
  effort: Effort,
  maxBytes = MAX_BYTES[effort],
): Hit | keyof typeof UNEXPLAINED {
  const attempt = attemptsOf(message, readings, maxBytes);
  const reading = attempt();
  if (reading) return { trials: [], reading };
  const trials = groups.flatMap((group) =>
    group.errors.flatMap((error) =>
      error.variants(message).map((variant, number): Trial => ({ group, error, variant, number })),
    ),
  );
  const usual = trials.filter(({ number }) => number < MAX_USUAL);
  const single = searchSingles(usual, attempt);
  if (single) return single;
  if (attempt.isExhausted()) return 'exhausted';
  // The many variants of a few errors are tried as far as the limit allows.
  const rare = searchSingles(
    trials.filter(({ number }) => number >= MAX_USUAL),
    attempt,
  );
  if (rare || effort === 'singles') return rare ?? 'unexplained';
  return searchPairs(trials, attempt) ?? (attempt.isExhausted() ? 'exhausted' : 'unexplained');
}

interface Attempt {
  (...trials: readonly Trial[]): SignatureReading | undefined;
  readonly isExhausted: () => boolean;
}

/** Makes the signature with the given errors, under each current secret, and compares it with the received one. */
function attemptsOf(
  message: SignedMessageInput,
  readings: readonly SignatureReading[],
  maxBytes: number,
): Attempt {
  const { right, secrets, keyOf, seconds } = message;
  // A malformed timestamp may have been signed as sent, or in its correct form.
  const timestamps =
    seconds === undefined ? [right.timestamp] : [...new Set([right.timestamp, String(seconds)])];
  const bases = secrets
    .filter(isCurrentSecret)
    .flatMap(({ secret }) =>
      timestamps.map((timestamp) => Object.assign({}, right, { key: keyOf(secret), timestamp })),
    );
  const digests = new Map<Bytes, Buffer>();
  let left = maxBytes;
  const digestOf = (body: Bytes): Buffer => {
    const digest = digests.get(body) ?? hash('sha256', body, 'buffer');
    if (!digests.has(body)) left -= body.length;
    digests.set(body, digest);
    return digest;
  };
  const attempt = (...trials: readonly Trial[]): SignatureReading | undefined => {
    for (const base of bases) {
      if (left < 0) return undefined;
      const plan: SigningPlan = { ...base, ...trials[0]?.variant.change, ...trials[1]?.variant.change };
      const content = buildContent(plan, () => digestOf(plan.body));
      left -= content.reduce((size, { length }) => size + length, MIN_COST_BYTES);
      const reading = matchReading(readings, plan.algorithm(plan.key, content));
      if (reading) return reading;
    }
    return undefined;
  };
  return Object.assign(attempt, { isExhausted: () => left < 0 });
}

function searchSingles(trials: readonly Trial[], attempt: Attempt): Hit | undefined {
  let best: { readonly trial: Trial; readonly reading: SignatureReading } | undefined;
  const alike = new Set<string>();
  for (const trial of trials) {
    // Once an error is known, its other variants do not matter.
    const reading = best?.trial.error === trial.error ? undefined : attempt(trial);
    if (!reading) continue;
    alike.add(trial.error.id);
    if (!best || reading.errors.length < best.reading.errors.length) best = { trial, reading };
  }
  if (!best) return undefined;
  alike.delete(best.trial.error.id);
  return { trials: [[best.trial, [...alike]]], reading: best.reading };
}

function searchPairs(all: readonly Trial[], attempt: Attempt): Hit | undefined {
  const trials = all.filter(({ number }) => number < MAX_PAIRED);
  /** The ids of the errors that could replace one of the two. */
  const alikeTo = (replaced: Trial, other: Trial): string[] => {
    const alike = trials.filter(
      (trial) =>
        trial.error !== replaced.error && trial.group !== other.group && attempt(other, trial) !== undefined,
    );
    return [...new Set(alike.map(({ error }) => error.id))];
  };
  for (const [index, one] of trials.entries()) {
    for (const other of trials.slice(index + 1)) {
      const reading = one.group === other.group ? undefined : attempt(one, other);
      if (!reading) continue;
      const pair = [[one, alikeTo(one, other)] as const, [other, alikeTo(other, one)] as const];
      return { trials: pair, reading };
    }
  }
  return undefined;
}

/** One finding for each error in the content, and one for each in the format. */
function findingsOf({ trials, reading }: Hit, signatureExpected: string): SigningFinding[] {
  const last = reading.errors.length - 1;
  return [
    ...trials.map(([{ group, error, variant }, alike]): SigningFinding => {
      const detail = variant.detail === undefined ? '.' : `: ${variant.detail}.`;
      const did = error.did.replace(/\.$/, () => detail);
      return { id: error.id, did, expected: group.expected, fix: error.fix, certainty: 'proved', alike };
    }),
    ...reading.errors.map(({ id, did, fix }, index): SigningFinding => {
      const alike = index === last ? (reading.alike ?? []) : [];
      return { id, did, expected: signatureExpected, fix, certainty: 'proved', alike };
    }),
  ];
}
