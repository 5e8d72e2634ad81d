import { isAssumptionId } from '../contract/assumptions.js';
import type { FactId } from './facts.js';
import { ABSENT, splitTokens, type Tokens } from './normalize.js';

/** Classes of differences between two implementations. */
export type DifferenceKind =
  | 'status'
  | 'code'
  | 'header'
  | 'missing field'
  | 'added field'
  | 'type'
  | 'null'
  | 'value'
  | 'order'
  | 'relation';

/** A difference at one place of the responses to a request. */
export interface Difference {
  readonly fact: FactId;
  readonly kind: DifferenceKind;
  readonly request: string;
  readonly place: string;
  /** Tokens of the sandbox. */
  readonly expected: string;
  /** Tokens of the other implementation. */
  readonly got: string;
}

/** Normalized responses to one request. `fact` is the assumption under test. */
export interface RequestObservation {
  readonly fact: FactId;
  readonly tokens: Tokens;
}

/** Compared tokens of the other implementation, by place, with the fact that each place belongs to. */
export interface Comparison {
  readonly differences: readonly Difference[];
  readonly places: readonly (readonly [fact: FactId, place: string, got: string])[];
}

/** Compares the responses to one request. Skips places that one of the responses cannot contain. */
export function compareObservations(
  request: string,
  sandbox: RequestObservation,
  other: RequestObservation,
): Comparison {
  const differences: Difference[] = [];
  const places: (readonly [FactId, string, string])[] = [];
  const [expectedAll, gotAll] = [sandbox.tokens, other.tokens];
  const isError = isErrorStatus(expectedAll);
  for (const place of new Set([...Object.keys(expectedAll), ...Object.keys(gotAll)])) {
    if (!isComparable(place, expectedAll, gotAll)) continue;
    const expected = expectedAll[place] ?? ABSENT;
    const got = gotAll[place] ?? ABSENT;
    const isOnlyCode = place === 'code' && expectedAll['status'] === gotAll['status'];
    const isCommon = isOnlyCode && isAssumptionId(sandbox.fact);
    const fact = isCommon ? 'error.body' : factAt(sandbox.fact, place, expected, isError);
    places.push([fact, place, got]);
    const known = new Set(splitTokens(expected));
    // Where this sandbox's resources have only null, the other values are unknown.
    if (expected === 'null' && got !== ABSENT) continue;
    if (splitTokens(got).every((token) => known.has(token))) continue;
    differences.push({ fact, kind: kindOf(place, expected, got), request, place, expected, got });
  }
  return { differences, places };
}

function isErrorStatus({ status }: Tokens): boolean {
  return status !== undefined && Number(status) >= 400;
}

/** Returns true if both responses could contain the place, and its parent does not already differ. */
function isComparable(place: string, expected: Tokens, got: Tokens): boolean {
  if (/^(?:order|relation)/.test(place)) return place in expected && place in got;
  if (place.startsWith('status')) return true;
  if (isErrorStatus(expected) !== isErrorStatus(got)) return false;
  const parent = /^(.+)(?:\.[^.[]+|\[\])$/.exec(place)?.[1];
  if (parent === undefined || !place.startsWith('body')) return true;
  // The items of an empty list are unknown.
  if (place.endsWith('[]')) return place in expected && place in got;
  return (
    parent in expected &&
    parent in got &&
    isComparable(parent, expected, got) &&
    areObjects(parent, expected, got)
  );
}

function areObjects(place: string, ...all: readonly Tokens[]): boolean {
  return all.every((tokens) => splitTokens(tokens[place] ?? ABSENT).includes('object'));
}

function kindOf(place: string, expected: string, got: string): DifferenceKind {
  if (place === 'status' || place === 'code' || place === 'order') return place;
  if (place.startsWith('relation')) return 'relation';
  if (place.startsWith('header')) return 'header';
  const known = new Set(splitTokens(expected));
  const fresh = splitTokens(got).filter((token) => !known.has(token));
  if (expected === ABSENT) return 'added field';
  if (fresh.includes(ABSENT)) return 'missing field';
  if (fresh.every((token) => token === 'null')) return 'null';
  return fresh.every((token) => token.startsWith('"')) && expected.includes('"') ? 'value' : 'type';
}

/** Places that an empty list also has. */
const OUTSIDE_ITEMS = /^(?!body\.data\[\])/;

/** Places that belong to a fact of their own, by the fact of their request. */
const PLACE_FACTS: readonly (readonly [fact: FactId, place: RegExp, own: FactId])[] = [
  ['withdrawal.statuses', /\.destination/, 'withdrawal.destination'],
  ['withdrawal.statuses', /^relation of (?:fees|net)/, 'withdrawal.fee'],
  ['withdrawal.statuses', OUTSIDE_ITEMS, 'page.order'],
  ['transaction.fields', OUTSIDE_ITEMS, 'page.order'],
  ['delivery.statuses', OUTSIDE_ITEMS, 'delivery.list'],
  ['delivery.list', /\[\]\.status$/, 'delivery.statuses'],
  ['endpoint.list', /\[\]\.status$/, 'endpoint.statuses'],
  ['charge.statuses', /^relation of fees of a large charge/, 'fee.provider_max'],
  ['charge.statuses', /^relation of (?:fees|net)/, 'fee.provider_rate'],
  ['charge.statuses', /\.qr_code$/, 'charge.qr_code'],
  ['charge.statuses', /\.qr_code_base64$/, 'charge.qr_image'],
  ['charge.statuses', /^body\.(?!status$)/, 'charge.fields'],
  ['session.create', /^body\.status$/, 'session.statuses'],
];

/** Facts of repeated creations: the resource itself belongs to the fact of the first one. */
const FIRST_FACTS: Partial<Record<FactId, FactId>> = {
  'charge.idempotency': 'charge.statuses',
  'session.idempotency': 'session.create',
};

/** Returns the fact that a place belongs to: formats are facts of their own in every response. */
function factAt(asked: FactId, place: string, expected: string, isError: boolean): FactId {
  if (place === 'header x-request-id' || (isError && /^(?:body|header)/.test(place))) return 'error.body';
  const fact = (place.startsWith('body') ? FIRST_FACTS[asked] : undefined) ?? asked;
  const own = PLACE_FACTS.find(([of, pattern]) => of === fact && pattern.test(place))?.[2] ?? fact;
  if (!place.startsWith('body')) return own;
  if (place.endsWith('.environment')) return 'environment';
  if (place.endsWith('.asset_code')) return 'asset_code';
  if (place.startsWith('body.paging')) return 'page.order';
  const token = splitTokens(expected).find((one) => one !== 'null' && one !== ABSENT) ?? '';
  if (token.startsWith('instant')) return 'timestamp.format';
  if (token.startsWith('decimal')) return 'amount.format';
  return token === 'UUID' || token.startsWith('id ') ? 'id.format' : own;
}
