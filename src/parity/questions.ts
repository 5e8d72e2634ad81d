import { randomUUID } from 'node:crypto';
import { SCOPES } from '../contract/enums.js';
import { LIMITS } from '../contract/limits.js';
import { MINUTE_MS } from '../contract/time.js';
import { formatAmount } from '../contract/money.js';
import * as resources from '../core/resources/resources.js';
import { createPageSchema } from '../core/resources/values.js';
import { nameSchema, type JsonSchema, type NamedSchema, type Schema } from '../schema/schema.js';
import { askCharges, askSessions } from './creation-questions.js';
import { askWebhooks } from './webhook-questions.js';
import type { FactId, ProbePart } from './facts.js';
import { ProbeStop } from './implementation.js';
import { readCents } from './fees.js';
import { encodeText, type Observer, readCursor, readInstant, readItems } from './observer.js';
import { askCharge, askDetails, askEndpoint } from './refusal-questions.js';
import { askScheme, askTolerance } from './signature-questions.js';
import type { ParityResponse } from './normalize.js';

/** A group of requests that is asked completely or not at all. */
interface Question {
  readonly id: string;
  readonly part: ProbePart;
  /** The most requests it sends. */
  readonly requests: number;
  readonly needsIdentity?: boolean;
  /** Set if every token sends this many requests, as soon as there are two. */
  readonly isPerToken?: boolean;
  readonly ask: (observer: Observer) => Promise<void>;
}

function pageOf(item: Schema<unknown, unknown> & NamedSchema): JsonSchema {
  return createPageSchema(nameSchema(item.name, item)).whole;
}

const UNKNOWN_TOKEN = 'parity-unknown-token';
/** In cents. */
const FEE_THRESHOLD = 50_000;

/** Returns the order of instants: `newest first`, `oldest first` or `mixed`; undefined if all are equal. */
function orderOf(instants: readonly unknown[]): string | undefined {
  const times = instants.map(readInstant);
  const steps = times.slice(1).map((time, index) => Math.sign(time - (times[index] ?? 0)));
  const directions = new Set(steps.filter((step) => step !== 0 && !Number.isNaN(step)));
  if (directions.size !== 1) return directions.size === 0 ? undefined : 'mixed';
  return directions.has(-1) ? 'newest first' : 'oldest first';
}

function relateItems(observer: Observer, name: string, response: ParityResponse): void {
  const items = readItems(response);
  const isFuture = (item: (typeof items)[number]) =>
    readInstant(item['created_at']) - response.sentMs > MINUTE_MS;
  if (items.some(isFuture)) observer.note('future item', name);
  if (items.length < 2) return;
  observer.relate(name, 'order', orderOf(items.map((item) => item['created_at'])));
  const ids = new Set(items.map(({ id }) => id));
  observer.relate(name, 'relation of ids', ids.size === items.length ? 'unique' : 'repeated');
}

/** Lists withdrawals with several limits and cursors (§4.2). */
async function askWithdrawals(observer: Observer): Promise<void> {
  const fact = 'withdrawal.statuses';
  const list = (query: string, name = `GET /withdrawals${query}`) =>
    observer.ask({ fact, name, path: `/withdrawals${query}`, schema: pageOf(resources.WITHDRAWAL) });
  const all = await list('?limit=50');
  const items = readItems(all);
  relateItems(observer, 'GET /withdrawals?limit=50', all);
  relateFees(observer, items);
  if (items.length < 2) return observer.giveUp('There are fewer than two withdrawals.', 'page.order');
  const first = await list('?limit=1');
  const [firstId, secondId] = items.map(({ id }) => id);
  observer.relate('GET /withdrawals?limit=1', 'relation of count', String(readItems(first).length));
  observer.relate(
    'GET /withdrawals?limit=1',
    'relation of first',
    String(readItems(first)[0]?.['id'] === firstId),
  );
  const after = readCursor(first, 'after');
  observer.relate(
    'GET /withdrawals?limit=1',
    'relation of paging.after',
    after === undefined ? 'no cursor' : 'cursor',
  );
  if (after === undefined) return;
  const name = 'GET /withdrawals?limit=1&after=CURSOR';
  const second = await list(`?limit=1&after=${encodeText(after)}`, name);
  observer.relate(name, 'relation of items', String(readItems(second)[0]?.['id'] === secondId));
  const before = readCursor(second, 'before');
  observer.relate(name, 'relation of paging.before', before === undefined ? 'no cursor' : 'cursor');
  if (before !== undefined) {
    const back = 'GET /withdrawals?limit=1&before=CURSOR';
    const third = await list(`?limit=1&before=${encodeText(before)}`, back);
    observer.relate(back, 'relation of items', String(readItems(third)[0]?.['id'] === firstId));
  }
  if (items.length > LIMITS.pageSizeDefault) {
    const page = await list('');
    observer.relate('GET /withdrawals', 'relation of count', String(readItems(page).length));
  }
}

function relateFees(observer: Observer, items: readonly Readonly<Record<string, unknown>>[]): void {
  const name = 'GET /withdrawals?limit=50';
  const rows = items
    .map((item) => ['amount', 'fee', 'net_amount'].map((field) => readCents(item[field])))
    .filter((row): row is number[] => !row.includes(undefined));
  const feesWhere = (isIncluded: (amount: number) => boolean) => {
    const fees = rows.flatMap(([amount = 0, fee = 0]) => (isIncluded(amount) ? formatAmount(fee) : []));
    return Array.from(new Set(fees)).sort().join(' and ') || undefined;
  };
  observer.relate(
    name,
    'relation of fees below 500.00',
    feesWhere((amount) => amount < FEE_THRESHOLD),
  );
  observer.relate(
    name,
    'relation of fees from 500.00',
    feesWhere((amount) => amount >= FEE_THRESHOLD),
  );
  const isNet = rows.every(([amount = 0, fee = 0, net = 0]) => amount - fee === net);
  if (rows.length > 0)
    observer.relate(name, 'relation of net_amount', isNet ? 'amount minus fee' : 'another value');
}

async function askLimits(observer: Observer): Promise<void> {
  for (const query of ['limit=0', 'limit=51', 'limit=ten', 'after=parity']) {
    await observer.ask({
      fact: 'page.order',
      name: `GET /withdrawals?${query}`,
      path: `/withdrawals?${query}`,
      expects: 'read',
    });
  }
}

/** Lists the account's transactions, and those of an unknown account (§4.3). */
async function askTransactions(observer: Observer): Promise<void> {
  const { accountId } = observer.of.credentials;
  const name = 'GET /accounts/ID/transactions?limit=50';
  const schema = pageOf(resources.TRANSACTION);
  const path = `/accounts/${accountId}/transactions?limit=50`;
  const list = await observer.ask({ fact: 'transaction.fields', name, path, schema });
  if (list.status === 404)
    throw new ProbeStop(`${name} returned 404: there is no such account.`, 'Check PARITY_ACCOUNT_ID.');
  relateItems(observer, name, list);
  const unknown = `/accounts/${randomUUID()}/transactions`;
  await observer.ask({ fact: 'error.body', name: 'GET /accounts/UNKNOWN/transactions', path: unknown });
}

/** Lists endpoints, and reads one with its deliveries if there is one (§4.5, §4.6, §4.8). */
async function askEndpoints(observer: Observer): Promise<void> {
  const list = await observer.ask({
    fact: 'endpoint.list',
    name: 'GET /webhook-endpoints?limit=50',
    path: '/webhook-endpoints?limit=50',
    schema: pageOf(resources.ENDPOINT),
  });
  relateItems(observer, 'GET /webhook-endpoints?limit=50', list);
  const unknown = randomUUID();
  const fact = 'error.body';
  await observer.ask({ fact, name: 'GET /webhook-endpoints/UNKNOWN', path: `/webhook-endpoints/${unknown}` });
  const name = 'GET /webhook-endpoints/UNKNOWN/deliveries';
  await observer.ask({ fact, name, path: `/webhook-endpoints/${unknown}/deliveries` });
  const [first] = readItems(list);
  if (typeof first?.['id'] !== 'string') return;
  const path = `/webhook-endpoints/${encodeText(first['id'])}`;
  await observer.ask({
    fact: 'endpoint.statuses',
    name: 'GET /webhook-endpoints/ID',
    path,
    schema: resources.ENDPOINT.whole,
  });
  for (const [query, owner] of [
    ['', 'delivery.list'],
    ['?status=FAILED', 'delivery.statuses'],
  ] as const) {
    const deliveries = `GET /webhook-endpoints/ID/deliveries${query}`;
    const schema = pageOf(resources.DELIVERY);
    relateItems(
      observer,
      deliveries,
      await observer.ask({ fact: owner, name: deliveries, path: `${path}/deliveries${query}`, schema }),
    );
  }
}

/** Reads an unknown route, and a known one without a valid token (§5.1, §7). */
async function askErrors(observer: Observer): Promise<void> {
  const fact = 'error.body';
  await observer.ask({ fact, name: 'GET /parity-unknown', path: '/parity-unknown' });
  await observer.ask({ fact, name: 'GET /withdrawals (no token)', path: '/withdrawals', token: null });
  await observer.ask({
    fact,
    name: 'GET /withdrawals (unknown token)',
    path: '/withdrawals',
    token: UNKNOWN_TOKEN,
  });
}

/** Reads the result of an unknown identity session, also without a valid token (§4.11, §7). */
async function askResults(observer: Observer): Promise<void> {
  const path = `sessions/${randomUUID()}/result`;
  const ask = (fact: FactId, more: { readonly token?: string | null }, text: string) =>
    observer.ask({ fact, name: `GET /kyc/sessions/UNKNOWN/result${text}`, api: 'identity', path, ...more });
  const { status } = await ask('session.result', {}, '');
  if (status === 401)
    throw new ProbeStop('The identity API returned 401: the token was refused.', 'Check PARITY_KYC_TOKEN.');
  await ask('session.provisioning', { token: null }, ' (no token)');
  await ask('session.provisioning', { token: UNKNOWN_TOKEN }, ' (unknown token)');
}

/** Requests that need a scope, but are refused or only read. */
const SCOPE_REQUESTS = {
  'withdrawals:read': { path: '/withdrawals' },
  'webhooks:read': { path: '/webhook-endpoints' },
  'webhooks:write': {
    path: `/webhook-endpoints/${randomUUID()}/deliveries/${randomUUID()}/retry`,
    method: 'POST',
  },
  'pix:write': { path: '/pix', method: 'POST', body: {} },
} as const;
const SCOPE_REQUEST_COUNT = 1 + Object.keys(SCOPE_REQUESTS).length;

/** Lists transactions with every token, and finds the scopes of each token (§4.3, §5.3). */
async function askScopes(observer: Observer): Promise<void> {
  const { tokens, accountId } = observer.of.credentials;
  if (observer.isSandbox || tokens.length === 1) return;
  const rows: Readonly<Record<string, number>>[] = [];
  for (const token of tokens) {
    const statusOf = async (request: { readonly path: string; readonly method?: 'POST' }) => {
      const expects = request.method === undefined ? 'read' : 'refusal';
      const question = { fact: 'transactions.scope', name: '', token, isUnrecorded: true, expects } as const;
      return (await observer.ask({ ...question, ...request })).status;
    };
    const row: Record<string, number> = {};
    row['list'] = await statusOf({ path: `/accounts/${accountId}/transactions` });
    for (const [scope, request] of Object.entries(SCOPE_REQUESTS)) row[scope] = await statusOf(request);
    rows.push(row);
  }
  // The other requests are unsigned: without a 403, their signature is perhaps checked before their scope.
  const isScopeFirst = rows.some((row) => row['webhooks:write'] === 403 || row['pix:write'] === 403);
  const candidates = ['none', ...SCOPES].filter((scope) =>
    rows.every((row) => {
      const status = scope === 'none' ? 200 : row[scope];
      const isUnknown = status === undefined || (status === 401 && !isScopeFirst) || row['list'] === 401;
      return isUnknown || (status === 403) === (row['list'] === 403);
    }),
  );
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) observer.note('transactions.scope', only);
  else observer.giveUp(`With these tokens, it can be ${candidates.join(' or ')}.`, 'transactions.scope');
}

/**
 * All questions, in order. Reads come first, because they find the environment; the tolerance uses requests
 * that no later question needs; details come last, because they determine no setting.
 */
export const QUESTIONS: readonly Question[] = [
  { id: 'withdrawals', part: 'reads', requests: 5, ask: askWithdrawals },
  { id: 'transactions', part: 'reads', requests: 2, ask: askTransactions },
  { id: 'endpoints', part: 'reads', requests: 6, ask: askEndpoints },
  { id: 'errors', part: 'reads', requests: 3, ask: askErrors },
  { id: 'scheme', part: 'refusals', requests: 12, ask: askScheme },
  { id: 'charge', part: 'refusals', requests: 5, ask: askCharge },
  { id: 'endpoint', part: 'refusals', requests: 2, ask: askEndpoint },
  { id: 'scopes', part: 'refusals', requests: SCOPE_REQUEST_COUNT, isPerToken: true, ask: askScopes },
  { id: 'tolerance', part: 'refusals', requests: 16, ask: askTolerance },
  { id: 'charges', part: 'charges', requests: 7, ask: askCharges },
  { id: 'sessions', part: 'sessions', requests: 3, needsIdentity: true, ask: askSessions },
  { id: 'webhooks', part: 'endpoint', requests: 1, ask: askWebhooks },
  { id: 'results', part: 'reads', requests: 3, needsIdentity: true, ask: askResults },
  { id: 'limits', part: 'reads', requests: 4, ask: askLimits },
  { id: 'details', part: 'refusals', requests: 11, ask: askDetails },
];
