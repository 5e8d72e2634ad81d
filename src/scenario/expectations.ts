import { EVENT_TYPES } from '../contract/enums.js';
import type {
  CallView,
  ChargeView,
  DeliveryLine,
  EventLine,
  WithdrawalView,
} from '../http/control/schema.js';
import { either, list } from '../schema/compound.js';
import { object, partial } from '../schema/object.js';
import type { Infer, Optional, Schema } from '../schema/schema.js';
import { anything, described, text, whole } from '../schema/values.js';
import { word } from './references.js';
import { matchesGlob } from '../text/globs.js';
import type { Row } from './history.js';
import { formatAmount } from '../contract/money.js';
import { StepFailure, refused } from './doors.js';
import type { Stage } from './run.js';
import { encodeSegment } from '../text/urls.js';

/** The fields of rows that an expectation may name, in the order in which messages list them. */
export const ROW_FIELDS = {
  events: ['type', 'id', 'resource', 'created_at', 'app_id', 'overridden'] satisfies (keyof EventLine)[],
  deliveries: [
    'type',
    'status',
    'attempts',
    'id',
    'event_id',
    'resource',
    'endpoint_id',
    'endpoint_url',
    'endpoint_name',
    'attempt_limit',
    'last_response_status',
    'last_error',
    'last_attempt_at',
    'next_attempt_at',
    'delivered_at',
    'created_at',
  ] satisfies (keyof DeliveryLine | 'type')[],
  received: [
    'type',
    'code',
    'id',
    'attempt',
    'answer',
    'verified',
    'cause',
    'duplicate',
    'signed_with',
    'during',
    'payload',
  ],
  calls: [
    'method',
    'path',
    'status',
    'error',
    'door',
    'id',
    'resource_id',
    'app_id',
    'hint',
    'warnings',
    'faults',
    'at',
  ] satisfies (keyof CallView)[],
  transactions: ['direction', 'amount', 'code', 'status', 'id', 'created_at'],
} as const;

export type ListName = keyof typeof ROW_FIELDS;
export const LIST_NAMES = Object.keys(ROW_FIELDS) as ListName[];

const CHARGE_FIELDS = [
  'code',
  'status',
  'amount',
  'fees',
  'reason',
  'payer_name',
  'payer_document',
  'metadata',
  'expires_at',
  'created_at',
  'qr_code',
  'account_id',
  'app_id',
] as const satisfies (keyof ChargeView)[];
const WITHDRAWAL_FIELDS = [
  'code',
  'status',
  'amount',
  'net_amount',
  'fee',
  'reason',
  'destination',
  'metadata',
  'created_at',
  'account_id',
  'app_id',
] as const satisfies (keyof WithdrawalView)[];
const RESULT_FIELDS = ['status', 'euid', 'sessionId', 'http_status', 'error'] as const;

const MOST_COUNTED = 1_000_000;
const COUNT = described(
  'exactly this many; without it, at least one',
  whole('a whole number from 0 on', { least: 0, most: MOST_COUNTED }),
);
const EVENT = word('an event', EVENT_TYPES);

function fieldsOf(names: readonly string[]): Readonly<Record<string, Optional<unknown>>> {
  return partial(Object.fromEntries(names.map((name) => [name, anything])));
}

/** The expected rows of a list: a matcher for at least one, or a list of matchers for all of them in order. */
function rows(name: ListName, isTyped: boolean): Schema<unknown> {
  const what = `a matcher of ${name}`;
  const fields = fieldsOf(ROW_FIELDS[name]);
  const one = object(what, { ...fields, ...partial({ count: COUNT }) });
  const inOrder = object(what, fields);
  const inList = { what: `a list of ${name} in their order` };
  return isTyped
    ? either([EVENT, one, list(either([EVENT, inOrder]), inList)])
    : either([one, list(inOrder, inList)]);
}

function payment(kind: string, names: readonly string[]) {
  const fields = { id: text(`the id or code of a ${kind}`), ...fieldsOf(names) };
  return described(`one ${kind}, by id or code`, object(`a ${kind} to look at`, fields));
}

/**
 * The fields of `expect`. Everything counts from the start of the scenario. Events, deliveries and received
 * requests count only for charges and withdrawals that were created since then or that a step named.
 */
export const EXPECTATION = object(
  'an expectation',
  partial({
    events: described('what the service announced', rows('events', true)),
    deliveries: described(
      'what became of the events: with a receiver, those to it and to endpoints of the scenario',
      rows('deliveries', true),
    ),
    received: described('what the built-in receiver got, in the order of arrival', rows('received', true)),
    calls: described('what was called at the doors of the service, oldest first', rows('calls', false)),
    transactions: described(
      'the lines of the default account’s ledger, oldest first',
      rows('transactions', false),
    ),
    charge: payment('charge', CHARGE_FIELDS),
    withdrawal: payment('withdrawal', WITHDRAWAL_FIELDS),
    result: described(
      'what your server reads of an identity session',
      object('an identity result to look at', {
        session: text('the id of an identity session'),
        ...fieldsOf(RESULT_FIELDS),
      }),
    ),
    balance: described(
      'the balance of the default account; with a sign, its change since the scenario began',
      text(
        'an amount such as 10000.00, or with a sign the change, such as +99.20',
        /^[+-]?\d{1,15}\.\d{2}$|\$\{/u,
      ),
    ),
  }),
  { isNotEmpty: true },
);

const LONGEST_SHOWN = 120;

/** A value in a message, shortened where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/**
 * The differences between a value and its expectation, in words. An expected object names the fields that
 * matter; a `*` in an expected text matches anything, and null also for a field that is absent.
 */
export function differences(expected: unknown, actual: unknown, name = ''): string[] {
  if (Array.isArray(expected)) return listDifferences(expected, actual, name);
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [difference(name, expected, actual)];
    const fields = new Map<string, unknown>(Object.entries(actual));
    return Object.entries(expected).flatMap(([field, value]: [string, unknown]) =>
      differences(value, fields.get(field), name === '' ? field : `${name}.${field}`),
    );
  }
  return isSame(expected, actual) ? [] : [difference(name, expected, actual)];
}

function listDifferences(expected: readonly unknown[], actual: unknown, name: string): string[] {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return [difference(name, expected, actual)];
  return expected.flatMap((value, index) => differences(value, actual[index], `${name}[${index}]`));
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (typeof expected !== 'string' || !expected.includes('*')) return expected === actual;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof actual);
  return isPlain && matchesGlob(expected, String(actual));
}

function difference(name: string, expected: unknown, actual: unknown): string {
  return `${name === '' ? 'it' : name} is ${shown(actual)}, expected ${shown(expected)}`;
}

/** What was found, and what is missing: nothing when the expectation holds. */
interface Judged {
  readonly found: readonly Row[];
  readonly misses: readonly string[];
}

const MOST_SHOWN = 8;

/** The fields that identify a row, on one line. */
const TOLD_BY: Readonly<Record<ListName, readonly string[]>> = {
  events: ['type', 'resource'],
  deliveries: ['type', 'status', 'attempts', 'last_response_status', 'last_error'],
  received: ['type', 'code', 'attempt', 'answer', 'verified', 'duplicate'],
  calls: ['method', 'path', 'status', 'error'],
  transactions: ['direction', 'amount', 'code'],
};

/**
 * Checks the rows of a list against a word (at least one of that type), a matcher (at least one, or `count`),
 * or a list of both: then all of them, in their order.
 */
export function judgeRows(list: ListName, wanted: unknown, rows: readonly Row[]): Judged {
  if (Array.isArray(wanted)) return judgeAll(list, wanted.map(matcherOf), rows);
  const { count, ...matcher } = matcherOf(wanted);
  const judged = rows.map((row) => ({ row, wrong: differences(matcher, row) }));
  const found = judged.filter(({ wrong }) => wrong.length === 0).map(({ row }) => row);
  const isMet = count === undefined ? found.length > 0 : found.length === count;
  if (isMet) return { found, misses: [] };
  const number = count === undefined ? 'at least 1' : shown(count);
  const what = Object.keys(matcher).length === 0 ? '' : ` with ${shown(matcher)}`;
  const [nearest] = judged
    .filter(({ wrong }) => wrong.length > 0 && wrong.length < Math.max(Object.keys(matcher).length, 2))
    .sort((a, b) => a.wrong.length - b.wrong.length);
  const isShort = found.length === 0 && nearest !== undefined;
  return {
    found,
    misses: [
      `${list}: expected ${number}${what}; got ${found.length}.`,
      ...(isShort ? [`  The nearest is ${line(list, nearest.row)}: ${nearest.wrong.join('; ')}`] : []),
      ...inventory(list, found.length > 0 ? found : rows, found.length > 0 ? 'Those' : 'There'),
    ],
  };
}

function matcherOf(wanted: unknown): Row {
  return typeof wanted === 'string' ? { type: wanted } : (wanted as Row);
}

function judgeAll(list: ListName, matchers: readonly Row[], rows: readonly Row[]): Judged {
  const wrong = matchers.map((matcher, index) => {
    const row = rows[index];
    if (row === undefined) return `${shown(matcher)} did not come`;
    const misses = differences(matcher, row);
    return misses.length === 0 ? undefined : `${line(list, row)}: ${misses.join('; ')}`;
  });
  const first = wrong.findIndex((one) => one !== undefined);
  if (first < 0 && rows.length === matchers.length) return { found: rows, misses: [] };
  const order = matchers.map(shown).join(', ');
  return {
    found: rows,
    misses: [
      `${list}: expected exactly these ${matchers.length} in this order: ${order}; got ${rows.length}.`,
      first < 0
        ? `  The first ${matchers.length} are right, and more came.`
        : `  Number ${first + 1}: ${wrong[first]}`,
      ...inventory(list, rows, 'There'),
    ],
  };
}

function inventory(list: ListName, rows: readonly Row[], word: string): string[] {
  if (rows.length === 0) return ['  There is none at all.'];
  const more = rows.length > MOST_SHOWN ? [`    and ${rows.length - MOST_SHOWN} more`] : [];
  const lines = rows.slice(0, MOST_SHOWN).map((row) => `    ${line(list, row)}`);
  return [`  ${word}: ${rows.length}`, ...lines, ...more];
}

function line(list: ListName, row: Row): string {
  return TOLD_BY[list]
    .filter((field) => row[field] !== null && row[field] !== undefined)
    .map((field) => {
      const value = row[field];
      const { code } = (field === 'resource' ? value : {}) as { readonly code?: string };
      if (code !== undefined) return code;
      return typeof value === 'string' ? value : `${field} ${shown(value)}`;
    })
    .join(' ');
}

type Expectation = Infer<typeof EXPECTATION>;
type Seen = Readonly<Record<string, unknown>>;

/** Real time that deliveries get to end before an expectation is checked. */
const PATIENCE = '15s';

/** Waits until nothing is in flight, checks, and returns what it found. Throws StepFailure with every mismatch. */
export async function expectAll(stage: Stage, wanted: Expectation): Promise<Seen> {
  const { idle } = await stage.doors.control.get('idle', { timeout: PATIENCE });
  const seen = new Map<string, unknown>();
  const misses: string[] = [];
  for (const list of LIST_NAMES) {
    if (wanted[list] === undefined) continue;
    const judged = judgeRows(list, wanted[list], await rowsOf(stage, list));
    seen.set(list, judged.found);
    misses.push(...judged.misses);
  }
  for (const name of Object.keys(LOOKS) as Looked[]) {
    if (wanted[name] === undefined) continue;
    const look = await LOOKS[name](stage, wanted[name] as never);
    seen.set(name, look.value);
    misses.push(...look.misses);
  }
  if (misses.length > 0 && !idle) misses.push(`Deliveries were still in flight after ${PATIENCE}.`);
  if (misses.length > 0) throw new StepFailure(...misses);
  return Object.fromEntries(seen);
}

async function rowsOf({ history, receiver, endpoints }: Stage, list: ListName): Promise<readonly Row[]> {
  const rows =
    list === 'received'
      ? Array.from(receiver?.received ?? [], (row) => ({ ...row }))
      : await history.rows(list);
  if (list === 'calls' || list === 'transactions') return rows;
  const isOwn = await history.ownership();
  const own = rows.filter((row) => isOwn(resourceIdOf(row)));
  if (list !== 'deliveries' || receiver === undefined) return own;
  // A running sandbox may have other listeners, too.
  return own.filter(({ endpoint_id: id }) => id === receiver.facts.id || endpoints.has(String(id)));
}

/** The id of the charge or withdrawal of an event, a delivery or a received payload. */
function resourceIdOf({ resource, payload }: Row): unknown {
  const { data } = (payload ?? {}) as { readonly data?: { readonly object?: { readonly id?: unknown } } };
  const { id } = (resource ?? data?.object ?? {}) as { readonly id?: unknown };
  return id;
}

interface Look {
  readonly value: unknown;
  readonly misses: readonly string[];
}

type Looked = Exclude<keyof Expectation, ListName>;

const LOOKS: {
  readonly [Name in Looked]: (stage: Stage, wanted: NonNullable<Expectation[Name]>) => Promise<Look>;
} = {
  charge: (stage, wanted) => lookAt(stage, 'charges', wanted),
  withdrawal: (stage, wanted) => lookAt(stage, 'withdrawals', wanted),
  result: lookAtResult,
  balance: lookAtBalance,
};

async function lookAt(
  stage: Stage,
  what: 'charges' | 'withdrawals',
  { id, ...wanted }: { readonly id: string } & Row,
): Promise<Look> {
  const value = await stage.doors.control.get(`${what}/:id`, { id });
  return { value, misses: named(`${what.slice(0, -1)} ${value.code}`, differences(wanted, value)) };
}

/** The result as the partner's server reads it; an error has its code and no status. */
async function lookAtResult(
  { doors }: Stage,
  { session, ...wanted }: { readonly session: string } & Row,
): Promise<Look> {
  const { status, body } = await doors.lookUp(`/api/v1/kyc/sessions/${encodeSegment(session)}/result`);
  const { error, ...fields } = (body ?? {}) as { readonly error?: { readonly code: string } };
  if (status === 404 || status === 401) throw refused('The result of the session', status, body);
  const value = { status: null, ...fields, http_status: status, error: error?.code ?? null };
  return { value, misses: named('result', differences(wanted, value)) };
}

async function lookAtBalance({ history }: Stage, wanted: string): Promise<Look> {
  const isChange = /^[+-]/.test(wanted);
  const cents = (await history.balanceCents()) - (isChange ? history.startCents : 0n);
  const value = `${isChange && cents >= 0n ? '+' : ''}${formatAmount(cents)}`;
  // -0.00 and +0.00 are the same change.
  const isMet = value === wanted.replace(/^-(0+\.00)$/, '+$1');
  const what = isChange ? 'the balance changed by' : 'the balance is';
  return { value, misses: isMet ? [] : [`balance: expected ${wanted}; ${what} ${value}.`] };
}

function named(what: string, misses: readonly string[]): string[] {
  return misses.map((miss) => `${what}: ${miss}`);
}
