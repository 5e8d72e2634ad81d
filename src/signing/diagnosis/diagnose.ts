import { hash } from 'node:crypto';
import { type Bytes, computeHmacSha256 } from '../message.js';
import { matchReading, type SignatureReading, parseObjectText } from './signature-text.js';

/**
 * Certainty of a finding. `proved`: the error reproduces the signature. `observed`: the error is visible in
 * the headers. `possible`: the message is valid, but receivers with a common bug would reject it.
 * `unexplained`: no known error explains the signature.
 */
export type Certainty = 'proved' | 'observed' | 'possible' | 'unexplained';

/** Problem in a signed message. The texts never contain a key, a secret or the expected signature. */
export interface SigningFinding {
  /** Stable id in kebab case. */
  readonly id: string;
  readonly did: string;
  readonly expected: string;
  readonly fix: string;
  readonly certainty: Certainty;
  /** Ids of other errors that produce the same signature for this message. */
  readonly alike: readonly string[];
}

/**
 * Secret to try. `note` defaults to `current`; `credential` means that the value serves another purpose, e.g.
 * a token.
 */
export interface KnownSecret {
  readonly name?: string;
  readonly secret: string;
  readonly note?: 'current' | 'previous' | 'other' | 'credential';
}

/** Search depth: single errors, or also pairs of errors. */
export type Effort = 'singles' | 'pairs';

/**
 * Arrival time of a message, and search limits. `toleranceS` defaults to 300 and `effort` to `singles`;
 * `maxBytes` limits the number of hashed bytes.
 */
export interface DiagnosisContext {
  readonly nowS: number;
  readonly toleranceS?: number;
  readonly effort?: Effort;
  readonly maxBytes?: number;
}

/** Creates a finding that requires no search. @internal */
export function createObservedFinding(
  id: string,
  did: string,
  expected: string,
  fix: string,
): SigningFinding {
  return { id, did, expected, fix, certainty: 'observed', alike: [] };
}

/** Parts of the signed content. `id` is a request's nonce or a webhook's id. @internal */
export type PartName = 'timestamp' | 'id' | 'method' | 'path' | 'body';

/** Converts a body or its digest to the signed form. @internal */
export type BodyForm = (body: Bytes, sha256: () => Buffer) => Bytes;

/** Computes the bytes of a signature. @internal */
export type Algorithm = (key: Bytes, content: readonly Bytes[]) => Buffer;

/** Describes how to compute a signature, either correctly or with errors. @internal */
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

/** Algorithm for requests and webhooks (§5.2, §5.5). @internal */
export const HMAC_SHA256: Algorithm = (key, content) => computeHmacSha256(key, ...content);

/** Returns the signed content of a plan in chunks. @internal */
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

/** Received message, passed to the error tables. @internal */
export interface SignedMessageInput {
  readonly right: SigningPlan;
  /** Unix seconds; undefined if the timestamp header is ambiguous. */
  readonly seconds: number | undefined;
  /** Request-target; empty for webhooks. */
  readonly target: string;
  readonly host: string | undefined;
  /** Bearer token of a request. */
  readonly token: string | undefined;
  readonly secrets: readonly KnownSecret[];
  readonly keyOf: (secret: string) => Bytes;
  /** Undefined if the body is not JSON or is too long to rewrite. */
  readonly json: { readonly text: string; readonly value: unknown } | undefined;
}

/** Change to the correct plan. `detail` distinguishes variants of the same error. @internal */
export interface SigningVariant {
  readonly change: Partial<SigningPlan>;
  readonly detail?: string;
}

/** Row of an error table. Likely variants come first. @internal */
export interface SigningError {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
  readonly variants: (message: SignedMessageInput) => readonly SigningVariant[];
}

/** Errors in one part of a signature. A message has at most one error per group. @internal */
export interface ErrorGroup {
  readonly expected: string;
  readonly errors: readonly SigningError[];
}

/** Alternative values for a field, as a list or keyed by detail. Undefined values are skipped. */
type Values<Value> = readonly (Value | undefined)[] | Readonly<Record<string, Value>>;

type Row<Value, Input> = readonly [
  did: string,
  values: (input: Input, message: SignedMessageInput) => Values<Value>,
  fix?: string,
];

/**
 * Creates the errors for one field of the plan. Each row lists alternative values for every input. Row texts
 * are appended to the subject, unless they end with a period. @internal
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

/** Returns true if a valid message can be signed with this secret. @internal */
export function isCurrentSecret({ note = 'current' }: KnownSecret): boolean {
  return note === 'current';
}

/** Signature to diagnose, and the texts for its findings. @internal */
export interface ReceivedSignature {
  readonly message: SignedMessageInput;
  /** Findings that require no search. */
  readonly seen: readonly SigningFinding[];
  readonly signature: string | undefined;
  readonly readings: readonly SignatureReading[];
  readonly groups: readonly ErrorGroup[];
  readonly expected: { readonly whole: string; readonly signature: string };
  /** Returns causes that a search cannot detect, with a fix. */
  readonly remaining: () => { readonly causes: string; readonly fix: string };
}

/**
 * Byte budget for hashing. Counting bytes instead of time makes results reproducible. The budget covers every
 * error for bodies of typical size.
 */
const MAX_BYTES: Readonly<Record<Effort, number>> = {
  singles: 16 * 1024 * 1024,
  pairs: 512 * 1024 * 1024,
};

/** Diagnoses a signature: checks its format, then searches for errors that reproduce it. @internal */
export function diagnose(
  { seen, signature, expected, remaining, ...received }: ReceivedSignature,
  { effort = 'singles', maxBytes = MAX_BYTES[effort] }: DiagnosisContext,
): SigningFinding[] {
  if (!signature) return [...seen];
  const object = parseObjectText(signature);
  if (object !== undefined) {
    const did = `The signature is a stringified object or unset value: ${object}.`;
    return [...seen, createObservedFinding('signature-is-object', did, expected.signature, ENCODE_THE_BYTES)];
  }
  if (received.readings.length === 0) {
    const did = 'The signature is not in hex, base64 or another known encoding.';
    const fix = 'Send all 32 bytes of the HMAC in the expected encoding.';
    return [...seen, createObservedFinding('signature-unreadable', did, expected.signature, fix)];
  }
  const hit = searchErrors(received, effort, maxBytes);
  if (typeof hit !== 'string') return [...seen, ...toFindings(hit, expected.signature)];
  const [id, did] = UNEXPLAINED[hit];
  const { causes, fix } = remaining();
  const finding = { id, did: `${did} ${causes}.`, expected: expected.whole, fix, alike: [] };
  return [...seen, { ...finding, certainty: 'unexplained' }];
}

const ENCODE_THE_BYTES =
  'Encode the bytes of the HMAC: pass an encoding to digest(), and await functions that return a promise.';

const UNEXPLAINED = {
  unexplained: ['unknown-secret', 'No known signing error explains the signature:'],
  exhausted: [
    'tries-exhausted',
    'The search reached its limit without an explanation: the error was not tried, or',
  ],
} as const;

/** Variant of an error, and its index. */
interface Trial {
  readonly group: ErrorGroup;
  readonly error: SigningError;
  readonly variant: SigningVariant;
  readonly number: number;
}

/** Trials that together reproduce the signature. `alike` lists ids of errors that could replace a trial. */
interface Hit {
  readonly trials: readonly (readonly [Trial, alike: readonly string[]])[];
  readonly reading: SignatureReading;
}

/** Cost of signing empty content, in bytes. */
const MIN_COST_BYTES = 4096;
/** Maximum variants per error in a search for pairs. */
const MAX_PAIRED = 5;
const MAX_USUAL = 50;

/** Searches for the fewest errors that explain a signature: zero, then one, then two. @internal */
export function searchErrors(
  { message, readings, groups }: Pick<ReceivedSignature, 'message' | 'readings' | 'groups'>,
  effort: Effort,
  maxBytes = MAX_BYTES[effort],
): Hit | keyof typeof UNEXPLAINED {
  const attempt = createAttempt(message, readings, maxBytes);
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
  // Errors with many variants are tried only within the remaining budget.
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

/**
 * Returns a function that applies errors, signs with each current secret and compares the results with the
 * signature.
 */
function createAttempt(
  message: SignedMessageInput,
  readings: readonly SignatureReading[],
  maxBytes: number,
): Attempt {
  const { right, secrets, keyOf, seconds } = message;
  // The signer could have used a malformed timestamp as sent or in its correct form.
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
    // Skip other variants of the best match.
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
  /** Lists the errors that could replace one error of the pair. */
  const findAlternatives = (replaced: Trial, other: Trial): string[] => {
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
      const pair = [
        [one, findAlternatives(one, other)] as const,
        [other, findAlternatives(other, one)] as const,
      ];
      return { trials: pair, reading };
    }
  }
  return undefined;
}

/** Creates one finding per content error and one per format error. */
function toFindings({ trials, reading }: Hit, signatureExpected: string): SigningFinding[] {
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
