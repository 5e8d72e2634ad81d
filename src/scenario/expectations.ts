import { EVENT_TYPES } from '../contract/enums.js';
import { formatAmount } from '../contract/money.js';
import { CHARGE, DELIVERY, TRANSACTION, WITHDRAWAL } from '../core/resources/resources.js';
import type { CallView, EventLine } from '../http/control/exchanges.js';
import { union, array } from '../schema/compound.js';
import { object, partial } from '../schema/object.js';
import type { Infer, Schema } from '../schema/schema.js';
import { anyValue, withDoc, text, integer } from '../schema/values.js';
import { matchesGlob } from '../text/globs.js';
import { toStepFailure, type ApiClients, StepFailure } from './api-clients.js';
import { createWordSchema } from './fields.js';
import type { ForwardHandler, ScenarioReceiver } from './receiver.js';
import { SandboxError } from '../client/control.js';

type ObservedRow = Readonly<Record<string, unknown>>;

const { event_type: _type, ...DELIVERY_FIELDS } = DELIVERY.fields;

export const ROW_FIELDS = {
  events: ['type', 'id', 'resource', 'created_at', 'app_id', 'overridden'] satisfies (keyof EventLine)[],
  deliveries: [
    'type',
    ...Object.keys(DELIVERY_FIELDS),
    'endpoint_id',
    'endpoint_url',
    'endpoint_name',
    'attempt_limit',
  ],
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
    'api',
    'id',
    'resource_id',
    'app_id',
    'hint',
    'warnings',
    'faults',
    'at',
  ] satisfies (keyof CallView)[],
  transactions: Object.keys(TRANSACTION.fields),
} as const;

type ListName = keyof typeof ROW_FIELDS;
export const LIST_NAMES = Object.keys(ROW_FIELDS) as ListName[];

const COUNT = withDoc(
  'exact number of matches; at least one by default',
  integer('a whole number of 0 or more', { min: 0, max: 1_000_000 }),
);

const anyOf = (names: readonly string[]) =>
  partial(Object.fromEntries(names.map((name) => [name, anyValue])));

/** Creates a schema for a matcher of at least one row, or for a list of matchers of all rows in order. */
function rows(name: ListName, description: string): Schema<unknown> {
  const what = `a matcher of ${name}`;
  const names: readonly string[] = ROW_FIELDS[name];
  const inOrder = object(what, anyOf(names));
  const one = object(what, { ...inOrder.fields, ...partial({ count: COUNT }) });
  const events = names.includes('type') ? [createWordSchema('an event', EVENT_TYPES)] : [];
  const all = array(union([...events, inOrder]), { what: `a list of ${name}, in order` });
  return withDoc(description, union([...events, one, all]));
}

function payment(kind: string, { fields }: { readonly fields: object }) {
  const names = [...Object.keys(fields), 'reason', 'app_id'];
  const id = text(`the id or code of a ${kind}`);
  return withDoc(`one ${kind}, by id or code`, object(`a ${kind} to check`, { ...anyOf(names), id }));
}

/**
 * Fields of `expect`. Only rows since the start of the scenario count. Events, deliveries and received
 * requests must also concern a charge or withdrawal created since then or named by a step.
 */
export const EXPECTATION_SCHEMA = object(
  'an expectation',
  partial({
    events: rows('events', 'the published events'),
    deliveries: rows(
      'deliveries',
      'the deliveries; with a receiver, limited to the receiver and the scenario’s endpoints',
    ),
    received: rows('received', 'the requests to the built-in receiver, in order of arrival'),
    calls: rows('calls', 'the API requests, oldest first'),
    transactions: rows('transactions', 'the ledger entries of the default account, oldest first'),
    charge: payment('charge', CHARGE),
    withdrawal: payment('withdrawal', WITHDRAWAL),
    result: withDoc(
      'the identity result that your server reads',
      object('an identity result to check', {
        session: text('the id of an identity session'),
        ...anyOf(['status', 'euid', 'sessionId', 'http_status', 'error']),
      }),
    ),
    balance: withDoc(
      'the balance of the default account; a signed amount is the change since the scenario started',
      text('an amount such as 10000.00, or a signed change such as +99.20', /^[+-]?\d{1,15}\.\d{2}$|\$\{/u),
    ),
  }),
  { isNotEmpty: true },
);

const LONGEST_SHOWN = 120;

export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}

/**
 * Describes the differences between a value and its expectation. Compares only the fields in the expected
 * object. A `*` in an expected string matches any text, and null also matches an absent field.
 */
export function diffValues(expected: unknown, actual: unknown, name = ''): string[] {
  const isList = Array.isArray(expected);
  if (typeof expected === 'object' && expected !== null) {
    const isSameShape =
      typeof actual === 'object' &&
      actual !== null &&
      Array.isArray(actual) === isList &&
      (!isList || expected.length === (actual as readonly unknown[]).length);
    if (!isSameShape) return [difference(name, expected, actual)];
    const fields = new Map<string, unknown>(Object.entries(actual));
    const place = (key: string) => (isList ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`);
    return Object.entries(expected).flatMap(([key, value]: [string, unknown]) =>
      diffValues(value, fields.get(key), place(key)),
    );
  }
  return isSame(expected, actual) ? [] : [difference(name, expected, actual)];
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (typeof expected !== 'string' || !expected.includes('*')) return expected === actual;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof actual);
  return isPlain && matchesGlob(expected, String(actual));
}

function difference(name: string, expected: unknown, actual: unknown): string {
  return `${name === '' ? 'it' : name} is ${formatValue(actual)}, expected ${formatValue(expected)}`;
}

interface Judged {
  readonly found: readonly ObservedRow[];
  readonly mismatches: readonly string[];
}

const MOST_SHOWN = 8;

const SUMMARY_FIELDS: Readonly<Record<ListName, readonly string[]>> = {
  events: ['type', 'resource'],
  deliveries: ['type', 'status', 'attempts', 'last_response_status', 'last_error'],
  received: ['type', 'code', 'attempt', 'answer', 'verified', 'duplicate'],
  calls: ['method', 'path', 'status', 'error'],
  transactions: ['direction', 'amount', 'code'],
};

/** Checks rows against an event type, a matcher, or a list of matchers for all rows in order. */
export function judgeRows(list: ListName, wanted: unknown, rows: readonly ObservedRow[]): Judged {
  if (Array.isArray(wanted)) return judgeAll(list, wanted.map(matcherOf), rows);
  const { count, ...matcher } = matcherOf(wanted);
  const judged = rows.map((row) => ({ row, wrong: diffValues(matcher, row) }));
  const found = judged.filter(({ wrong }) => wrong.length === 0).map(({ row }) => row);
  if (count === undefined ? found.length > 0 : found.length === count) return { found, mismatches: [] };
  const fields = Object.keys(matcher).length;
  const what = fields === 0 ? '' : ` with ${formatValue(matcher)}`;
  const [nearest] = judged
    .filter(({ wrong }) => found.length === 0 && wrong.length < Math.max(fields, 2))
    .sort((a, b) => a.wrong.length - b.wrong.length);
  return {
    found,
    mismatches: [
      `${list}: expected ${count === undefined ? 'at least 1' : formatValue(count)}${what}; got ${found.length}.`,
      ...(nearest ? [`  The closest match is ${line(list, nearest.row)}: ${nearest.wrong.join('; ')}`] : []),
      ...inventory(list, found.length > 0 ? found : rows, found.length > 0 ? 'Matching' : 'Found'),
    ],
  };
}

function matcherOf(wanted: unknown): ObservedRow {
  return typeof wanted === 'string' ? { type: wanted } : (wanted as ObservedRow);
}

function judgeAll(list: ListName, matchers: readonly ObservedRow[], rows: readonly ObservedRow[]): Judged {
  const wrong = matchers.map((matcher, index) => {
    const row = rows[index];
    if (row === undefined) return `${formatValue(matcher)} is missing`;
    const mismatches = diffValues(matcher, row);
    return mismatches.length === 0 ? undefined : `${line(list, row)}: ${mismatches.join('; ')}`;
  });
  const first = wrong.findIndex((one) => one !== undefined);
  if (first < 0 && rows.length === matchers.length) return { found: rows, mismatches: [] };
  const order = matchers.map(formatValue).join(', ');
  return {
    found: rows,
    mismatches: [
      `${list}: expected exactly these ${matchers.length} in this order: ${order}; got ${rows.length}.`,
      first < 0
        ? `  The first ${matchers.length} match, but more were found.`
        : `  Number ${first + 1}: ${wrong[first]}`,
      ...inventory(list, rows, 'Found'),
    ],
  };
}

function inventory(list: ListName, rows: readonly ObservedRow[], word: string): string[] {
  if (rows.length === 0) return ['  None found.'];
  const more = rows.length > MOST_SHOWN ? [`    and ${rows.length - MOST_SHOWN} more`] : [];
  const lines = rows.slice(0, MOST_SHOWN).map((row) => `    ${line(list, row)}`);
  return [`  ${word}: ${rows.length}`, ...lines, ...more];
}

function line(list: ListName, row: ObservedRow): string {
  return SUMMARY_FIELDS[list]
    .filter((field) => row[field] !== null && row[field] !== undefined)
    .map((field) => {
      const value = row[field];
      const { code } = (field === 'resource' ? value : {}) as { readonly code?: string };
      return code ?? (typeof value === 'string' ? value : `${field} ${formatValue(value)}`);
    })
    .join(' ');
}

/** Real time to wait for deliveries before an expectation is checked. */
export const WAIT_INPUT = '15s';

/** State shared by the steps of a run. */
export interface StepContext {
  readonly clients: ApiClients;
  readonly history: ScenarioHistory;
  readonly forward: ForwardHandler | undefined;
  /** Unique per run unless the sandbox is fresh. */
  readonly run: string;
  /** Values for references: results of earlier steps, and predefined names. */
  readonly names: Map<string, unknown>;
  receiver: ScenarioReceiver | undefined;
  /** Faults added by the scenario and removed when it ends. */
  readonly faults: Set<string>;
  readonly endpoints: Set<string>;
  drafted: number;
  during: string;
}

/** Waits until nothing is in flight. Returns the matches, or rejects with a StepFailure for mismatches. */
export async function checkExpectations(
  context: StepContext,
  wanted: Infer<typeof EXPECTATION_SCHEMA>,
): Promise<ObservedRow> {
  const { idle } = await context.clients.control.get('idle', { timeout: WAIT_INPUT });
  const seen = new Map<string, unknown>();
  const mismatches: string[] = [];
  const note = (name: string, value: unknown, own: readonly string[], about?: string) => {
    seen.set(name, value);
    mismatches.push(...own.map((miss) => (about === undefined ? miss : `${about}: ${miss}`)));
  };
  for (const name of LIST_NAMES) {
    if (wanted[name] === undefined) continue;
    const { found, mismatches: own } = judgeRows(name, wanted[name], await rowsOf(context, name));
    note(name, found, own);
  }
  for (const kind of ['charge', 'withdrawal'] as const) {
    if (wanted[kind] === undefined) continue;
    const { id, ...fields } = wanted[kind];
    const value = await context.clients.control.get(`${kind}s/:id`, { id });
    note(kind, value, diffValues(fields, value), `${kind} ${value.code}`);
  }
  if (wanted.result !== undefined) {
    const { session, ...fields } = wanted.result;
    const value = await resultOf(context.clients, session);
    note('result', value, diffValues(fields, value), 'result');
  }
  if (wanted.balance !== undefined) {
    const isChange = /^[+-]/.test(wanted.balance);
    const cents = (await context.history.balanceCents()) - (isChange ? context.history.startCents : 0n);
    const value = `${isChange && cents >= 0n ? '+' : ''}${formatAmount(cents)}`;
    // -0.00 and +0.00 are the same change.
    const isMet = value === wanted.balance.replace(/^-(0+\.00)$/, '+$1');
    const what = isChange ? 'the balance changed by' : 'the balance is';
    note('balance', value, isMet ? [] : [`expected ${wanted.balance}; ${what} ${value}.`], 'balance');
  }
  if (mismatches.length > 0 && !idle) mismatches.push(`Deliveries were still in flight after ${WAIT_INPUT}.`);
  if (mismatches.length > 0) throw new StepFailure(...mismatches);
  return Object.fromEntries(seen);
}

async function rowsOf(
  { history, receiver, endpoints }: StepContext,
  list: ListName,
): Promise<readonly ObservedRow[]> {
  const all =
    list === 'received'
      ? Array.from(receiver?.received ?? [], (row) => ({ ...row }))
      : await history.rows(list);
  if (list === 'calls' || list === 'transactions') return all;
  const isOwn = await history.ownership();
  const own = all.filter((row) => isOwn(resourceIdOf(row)));
  if (list !== 'deliveries' || receiver === undefined) return own;
  // A running sandbox can also have other listeners.
  return own.filter(({ endpoint_id: id }) => id === receiver.facts.id || endpoints.has(String(id)));
}

/** Returns the id of the charge or withdrawal in an event, a delivery or a received payload. */
function resourceIdOf({ resource, payload }: ObservedRow): unknown {
  const { data } = (payload ?? {}) as { readonly data?: { readonly object?: { readonly id?: unknown } } };
  const { id } = (resource ?? data?.object ?? {}) as { readonly id?: unknown };
  return id;
}

/** Fetches the result as the partner's server would. An error result has a code but no status. */
async function resultOf({ control }: ApiClients, session: string): Promise<ObservedRow> {
  const none = { status: null, error: null, http_status: 200 };
  try {
    return { ...none, ...(await control.get('kyc/sessions/:id/result', { id: session })) };
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status === 404) throw toStepFailure(error);
    return { ...none, http_status: error.status, error: error.body.code };
  }
}

/** Renames the `event_type` of a delivery to `type`, as in events. */
function renameEventType({ event_type: type, ...row }: ObservedRow): ObservedRow {
  return type === undefined ? row : { type, ...row };
}

const RESOURCES = ['charges', 'withdrawals'] as const;
/** Sandbox lists read from a mark onward. */
type MarkedList = Exclude<ListName, 'received'> | (typeof RESOURCES)[number];

interface Touching {
  readonly id?: string;
  readonly resource?: { readonly id: string };
  readonly events?: readonly Touching[];
  readonly deliveries?: readonly Touching[];
}

/** History of a sandbox since the scenario started, oldest first. */
export class ScenarioHistory {
  startCents = 0n;
  readonly #clients: ApiClients;
  readonly #marks = new Map<MarkedList, unknown>();
  readonly #touched = new Set<unknown>();

  constructor(clients: ApiClients) {
    this.#clients = clients;
  }

  /** Marks the current end of these lists and of the resource lists. */
  async begin(lists: readonly ListName[], isFresh: boolean): Promise<void> {
    this.#marks.clear();
    for (const list of [...lists, ...(isFresh ? [] : RESOURCES)]) {
      if (list === 'received') continue;
      const [newest] = await this.#newest(list, 1);
      if (newest !== undefined) this.#marks.set(list, newest['id']);
    }
    this.startCents = await this.balanceCents();
  }

  async rows(list: MarkedList): Promise<readonly ObservedRow[]> {
    return (await this.#newest(list)).map(renameEventType).reverse();
  }

  async balanceCents(): Promise<bigint> {
    const { accounts } = await this.#clients.control.get('status');
    const own = accounts.find(({ id }) => id === this.#clients.env.SANDBOX_ACCOUNT_ID);
    return BigInt((own?.balance ?? '0').replace('.', ''));
  }

  /** Records the resources that a step changed, triggered or resent. */
  touch(result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const { id, resource, events = [], deliveries = [] }: Touching = result;
    for (const touched of [id, resource?.id]) if (typeof touched === 'string') this.#touched.add(touched);
    for (const row of [...events, ...deliveries]) this.touch({ resource: row.resource });
  }

  /** Returns a predicate for ids of the scenario's own charges and withdrawals in a running sandbox. */
  async ownership(): Promise<(id: unknown) => boolean> {
    if (RESOURCES.every((list) => !this.#marks.has(list))) return () => true;
    const own = new Set(this.#touched);
    for (const list of RESOURCES) for (const { id } of await this.#newest(list)) own.add(id);
    return (id) => own.has(id);
  }

  /** Fetches rows newest first, up to the mark or the limit. */
  async #newest(list: MarkedList, limit?: number): Promise<ObservedRow[]> {
    const { control, env } = this.#clients;
    const mark = this.#marks.get(list);
    const isKnown = ({ id }: { readonly id: string }) => id === mark;
    if (list === 'transactions') {
      const account = env.SANDBOX_ACCOUNT_ID;
      return control.list('ledger', { account, limit }, isKnown);
    }
    if (list !== 'calls') return control.list(list, { limit }, isKnown);
    const { data } = await control.get('calls');
    const known = data.findIndex(isKnown);
    return known < 0 ? [...data] : data.slice(0, known);
  }
}
