import { expect, test } from 'vitest';
import type { ControlClient } from '../../src/client/control.js';
import type { ProbePart } from '../../src/parity/facts.js';
import { type Implementation, type ParityRequest, ProbeStop } from '../../src/parity/implementation.js';
import { createObservations, type Observations } from '../../src/parity/observer.js';
import * as probe from '../../src/parity/probe.js';
import { type createTime, openSecond, textsOf } from './probe-helper.js';

type Row = Record<string, unknown>;
type Change = (response: Response) => Promise<Response> | Response;

/** Enough withdrawals for a second page of the default size. */
const WITHDRAWALS = 26;

/** Creates payments at different times on both sides of the fee's threshold, and an endpoint with a delivery. */
async function prepare(control: ControlClient, time: ReturnType<typeof createTime>): Promise<void> {
  await control.post('deliveries/pause');
  await control.post('endpoints', { body: { url: 'https://93.184.215.14/', events: ['pix.settled'] } });
  for (let count = 0; count < WITHDRAWALS; count += 1) {
    await control.post('withdrawals', { body: count === 0 ? { amount: '600.00' } : {} });
    await time.wait(1);
  }
  for (let count = 0; count < 2; count += 1) {
    const { id } = await control.post('charges', { body: {} });
    await control.post('charges/:id/settle', { id });
    await time.wait(1);
  }
}

interface Parts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Returns the JSON body, or a text. */
  readonly body?: (body: Row) => unknown;
}

/** Replaces parts of a response. */
async function rebuild(response: Response, { status, headers = {}, body }: Parts): Promise<Response> {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name);
    else all.set(name, value);
  }
  const text = await response.text();
  const next = body === undefined ? text : body(JSON.parse(text) as Row);
  const bytes = new TextEncoder().encode(typeof next === 'string' ? next : JSON.stringify(next));
  return new Response(bytes, { status: status ?? response.status, headers: all });
}

/** Calls `edit` for every object that has, or could have, the last field of a path such as `data.*.fee`. */
function editAt(
  value: unknown,
  [name = '', ...rest]: readonly string[],
  edit: (owner: Row, name: string) => void,
) {
  if (typeof value !== 'object' || value === null) return;
  if (name === '*') for (const item of Object.values(value)) editAt(item, rest, edit);
  else if (rest.length > 0) editAt((value as Row)[name], rest, edit);
  else edit(value as Row, name);
}

/** Conversions of the values at a path, by name. */
const EDITS: Readonly<Record<string, (value: never) => unknown>> = {
  number: Number,
  text: String,
  lowercase: (value: string) => value.toLowerCase(),
  uppercase: (value: string) => value.toUpperCase(),
  'no cents': (value: string) => value.replace('.00', ''),
  'four decimals': (value: string) => `${value}00`,
  'no milliseconds': (value: string) => value.replace(/\.\d+/, ''),
  offset: (value: string) => value.replace('Z', '+00:00'),
  local: (value: string) => value.replace('Z', ''),
  seconds: (value: string) => Math.floor(Date.parse(value) / 1000),
  'seconds as text': (value: string) => String(Math.floor(Date.parse(value) / 1000)),
  prefix: (value: string) => `wd_${value.replaceAll('-', '')}`,
  'data URL': (value: string) => `data:image/png;base64,${value}`,
  reversed: (value: readonly Row[]) => value.toReversed(),
  swapped: ([first, second, ...rest]: readonly Row[]) => [second, first, ...rest],
  repeated: (value: readonly Row[]) => [...value.slice(0, -1), value.at(-2)],
  'ten times': ([first]: readonly Row[]) => Array.from({ length: 10 }, () => first),
  'first ten': (value: readonly Row[]) => value.slice(0, 10),
};

/** Creates a change from a text such as `set data.0.fee "1.00"` or `edit data reversed`. */
function parseChange(text: string): Change {
  const [verb = '', path = '', ...words] = text.split(' ');
  const rest = words.join(' ');
  if (verb === 'status') return (response) => rebuild(response, { status: Number(path) });
  if (verb === 'header') return (response) => rebuild(response, { headers: { [path]: rest || null } });
  if (verb === 'replace')
    return (response) => rebuild(response, { body: (all) => (path === '' ? 'text' : all[path]) });
  const edit = (owner: Row, name: string) => {
    const value = owner[name];
    if (verb === 'set') owner[name] = JSON.parse(rest);
    else if (verb === 'edit') owner[name] = EDITS[rest]?.(value as never);
    else if (verb === 'rename') owner[rest] = value;
    if (verb === 'rename' || verb === 'drop') delete owner[name];
  };
  const body = (all: Row) => {
    editAt(all, path.split('.'), edit);
    return all;
  };
  return (response) => rebuild(response, { body });
}

/** Responses to change, and the part of the probe that asks for them. */
interface Target {
  readonly on: RegExp;
  readonly part?: ProbePart;
}

const FIELD: Target = { on: /^POST pix 400/ };
const TARGETS: Readonly<Record<string, Target>> = {
  list: { on: /^GET withdrawals\?limit=50 200/ },
  lists: { on: /^GET withdrawals\S* 200/ },
  default: { on: /^GET withdrawals 200/ },
  first: { on: /^GET withdrawals\?limit=1 200/ },
  next: { on: /^GET withdrawals\?limit=1&after=\S+ 200/ },
  previous: { on: /^GET withdrawals\?limit=1&before=\S+ 200/ },
  ledger: { on: /^GET accounts\/\S+\/transactions\?limit=50 200/ },
  endpoint: { on: /^GET webhook-endpoints\/[^/]+ 200/ },
  deliveries: { on: /^GET webhook-endpoints\/[^/]+\/deliveries 200/ },
  refused: { on: / 4\d\d$/ },
  limit: { on: /limit=51 400/ },
  token: { on: /^GET withdrawals 401/ },
  retry: { on: /retry 401/ },
  field: FIELD,
  url: { on: /^POST webhook-endpoints 422/ },
  result: { on: /^GET sessions\S+ 40[14]/ },
  charge: { on: /^POST pix 201/, part: 'charges' },
  repeat: { on: /^POST pix 200/, part: 'charges' },
  conflict: { on: /^POST pix 409/, part: 'charges' },
  session: { on: /^POST sessions 201/, part: 'sessions' },
  'same key': { on: /^POST sessions 200/, part: 'sessions' },
  open: { on: /^GET sessions\S+ 409/, part: 'sessions' },
};

/** Mutations: title, target, change, and the kind, fact and place of every difference that the probe reports. */
const MUTATIONS = `
a renamed field | list | rename data.*.code reference | added field withdrawal.statuses [].reference; missing field withdrawal.statuses [].code
a renamed amount | list | rename data.*.net_amount net | added field withdrawal.statuses [].net; missing field amount.format [].net_amount
a field missing in every item | list | drop data.*.account_id | missing field id.format [].account_id
a field missing in one item | list | drop data.3.metadata | missing field withdrawal.statuses [].metadata
a null amount | list | set data.0.amount null | null amount.format [].amount
an added field | list | set data.0.end_to_end_id "E123" | added field withdrawal.statuses [].end_to_end_id
an added nested field | list | set data.*.destination.bank "text" | added field withdrawal.destination [].destination.bank
a number instead of an amount | list | edit data.*.amount number | type amount.format [].amount
an amount without decimals | lists | edit data.*.fee no cents | type amount.format [].fee
amounts with four decimals | list | edit data.*.amount four decimals | type amount.format [].amount
text instead of an object | list | set data.*.destination "maria@example.com" | type withdrawal.destination [].destination
a null object | list | set data.*.destination null | null withdrawal.destination [].destination
a missing nested field | list | drop data.*.destination.beneficiary_name | missing field withdrawal.destination [].destination.beneficiary_name
an object instead of a list | list | set data {} | type page.order body.data
a list without an envelope | list | replace data | type page.order body
a renamed list | list | rename data items | added field page.order body.items; missing field page.order body.data
a body that is not JSON | endpoint | replace | type endpoint.statuses body
another withdrawal fee | list | set data.*.fee "2.50" | relation withdrawal.fee relation of fees below 500.00; relation withdrawal.fee relation of fees from 500.00; relation withdrawal.fee relation of net_amount
a wrong net amount | list | set data.5.net_amount "0.01" | relation withdrawal.fee relation of net_amount
another withdrawal status | list | set data.*.status "COMPLETED" | value withdrawal.statuses [].status
a lowercase status | list | edit data.2.status lowercase | value withdrawal.statuses [].status
another rail | list | set data.*.destination.rail "TED" | value withdrawal.destination [].destination.rail
another key type | list | set data.*.destination.pix_key_type "RANDOM" | value withdrawal.destination [].destination.pix_key_type
another direction | ledger | set data.0.direction "IN" | value transaction.fields [].direction
another transaction status | ledger | set data.0.status "BOOKED" | value transaction.fields [].status
transactions without a time | ledger | drop data.*.created_at | missing field timestamp.format [].created_at
a missing environment | list | drop data.*.environment | missing field environment [].environment
times without milliseconds | list | edit data.*.created_at no milliseconds | type timestamp.format [].created_at
times with an offset | list | edit data.*.created_at offset | type timestamp.format [].created_at
local times | list | edit data.*.created_at local | type timestamp.format [].created_at
Unix seconds | ledger | edit data.*.created_at seconds | type timestamp.format [].created_at
Unix seconds as text | endpoint | edit created_at seconds as text | type timestamp.format body.created_at
a reversed list | list | edit data reversed | order page.order order; relation page.order relation of first; relation page.order relation of items
a shuffled list | list | edit data swapped | order page.order order; relation page.order relation of first; relation page.order relation of items
transactions in reversed order | ledger | edit data reversed | order page.order order
a repeated item | list | edit data repeated | relation page.order relation of ids
an ignored limit | first | edit data ten times | relation page.order relation of count
another default page size | default | edit data first ten | relation page.order relation of count
a missing cursor to the next page | first | drop paging.after | missing field page.order body.paging.after; relation page.order relation of paging.after
a missing cursor to the previous page | next | drop paging.before | missing field page.order body.paging.before; relation page.order relation of paging.before
a wrong item after a cursor | next | set data.0.id "3b241101-e2bb-4255-8caf-4136c566a962" | relation page.order relation of items
a wrong item before a cursor | previous | set data.0.id "3b241101-e2bb-4255-8caf-4136c566a962" | relation page.order relation of items
a page without paging | list | drop paging | missing field page.order body.paging
a renamed paging | first | rename paging pagination | added field page.order body.pagination; missing field page.order body.paging; relation page.order relation of paging.after
numeric cursors | first | set paging.after 25 | relation page.order relation of paging.after; type page.order body.paging.after
ids with a prefix | lists | edit data.*.id prefix | type id.format [].id
numeric ids | endpoint | set id 17 | type id.format body.id
uppercase ids | endpoint | edit id uppercase | type id.format body.id
another event id | deliveries | set data.0.event_id "3b241101-e2bb-4255-8caf-4136c566a962" | type id.format [].event_id
another endpoint status | endpoint | set status "ENABLED" | value endpoint.statuses body.status
a secret in an endpoint | endpoint | set secret "whsec_yaI/mDyR+vwQE7==" | added field endpoint.statuses body.secret
another delivery status | deliveries | set data.0.status "QUEUED" | value delivery.statuses [].status
attempts as text | deliveries | edit data.0.attempts text | type delivery.list [].attempts
a missing resource | deliveries | drop data.*.resource | missing field delivery.list [].resource
another media type | list | header content-type application/vnd.api+json | header page.order header content-type
a missing media type | list | header content-type | header page.order header content-type
a missing request id | list | header x-request-id | header error.body header x-request-id
an added header | list | header link </next>; rel="next" | header page.order header link
another status | list | status 206 | status page.order status
another error status | limit | status 422 | status page.order status
another error code | limit | set error.code "VALIDATION_ERROR" | code page.order code
an error without a code | limit | drop error.code | code page.order code; missing field error.body body.error.code
an error as text | limit | set error "Not allowed." | code page.order code; type error.body body.error
a limit that is not rejected | limit | status 200 | status page.order status
another error envelope | refused | replace error | added field error.body body.code; added field error.body body.details; added field error.body body.message; added field error.body body.request_id; missing field error.body body.error
another status of an unknown token | token | status 400 | status error.body status
403 for an unknown token | token | status 403 | status error.body status
another code of a refused signature | retry | set error.code "FORBIDDEN" | code error.body code; code nonce.lifetime code
another status of an invalid charge | field | status 422 | status amount.format status; status charge.fields status
another status of a forbidden URL | url | status 409 | status endpoint.create status
another code of an unknown session | result | set error.code "UNKNOWN_SESSION" | code session.provisioning code; code session.result code
another charge status | charge | set status "ACTIVE" | value charge.statuses body.status
a renamed net amount of a charge | charge | rename fees.net_amount net | added field charge.fields body.fees.net; missing field amount.format body.fees.net_amount
a wrong net amount of a charge | charge | set fees.net_amount "1.00" | relation fee.provider_rate relation of net_amount
numeric fees | charge | edit fees.provider_fee number | type amount.format body.fees.provider_fee
another currency | charge | set asset_code "USD" | value asset_code body.asset_code
another amount than was sent | charge | set amount "1.00" | type charge.fields body.amount
a masked document | charge | set payer_document "***.982.247-**" | type charge.fields body.payer_document
a charge without metadata | charge | drop metadata | missing field charge.fields body.metadata
a URL instead of a QR code | charge | set qr_code "https://pay.example/1" | type charge.qr_code body.qr_code
a QR image as a data URL | charge | edit qr_code_base64 data URL | type charge.qr_image body.qr_code_base64
another status of a new charge | charge | status 200 | status charge.statuses status
another status of a repeated charge | repeat | status 201 | status charge.idempotency status
another charge for the same code | repeat | set id "3b241101-e2bb-4255-8caf-4136c566a962" | relation charge.idempotency relation of id
another code of a reused charge code | conflict | set error.code "DUPLICATE" | code charge.idempotency code
another session status | session | set status "PENDING" | value session.statuses body.status
a session without a URL | session | drop url | missing field session.create body.url
another session for the same key | same key | edit sessionId uppercase | relation session.idempotency relation of sessionId; type id.format body.sessionId
another status of an open session | open | status 202 | status session.result status
another code of an open session | open | set error.code "PENDING" | code session.result code
`
  .trim()
  .split('\n')
  .map((row) => {
    const [title = '', target = '', change = '', named = ''] = row.split('|').map((cell) => cell.trim());
    return { title, target, change, named };
  });

function byTitle<Rows extends { readonly title: string }>(rows: readonly Rows[]) {
  return rows.map((row) => [row.title, row] as const);
}

const sandboxes = new Map<string, Promise<Observations>>();

/** Observes this sandbox once for each set of values. */
function observeSandbox(values: Readonly<Record<string, string>>, scope: probe.ProbeScope) {
  const key = JSON.stringify([values, [...scope.parts]]);
  const known = sandboxes.get(key) ?? probe.questionSandbox(values, scope, createObservations());
  sandboxes.set(key, known);
  return known;
}

/** Probes a second sandbox, and changes the targeted responses. */
async function probeMutated({ on, part }: Target, change: Change) {
  let hits = 0;
  const options: Parameters<typeof openSecond>[1] = {
    prepare,
    mutate: (response, request) => {
      const path = request.url.replace(/^.*?\/v1\/(?:kyc\/)?/, '');
      if (!on.test(`${request.method} ${path} ${response.status}`)) return response;
      hits += 1;
      return change(response);
    },
  };
  await using second = await openSecond({}, options);
  const parts = new Set<ProbePart>(['reads', 'refusals', ...(part === undefined ? [] : [part])]);
  const scope = { parts, hasIdentity: true, tokens: 1 };
  const observations = createObservations();
  await probe.questionImplementation(second.other, observations, scope);
  const { values, unknown } = probe.inferFrom(observations);
  const compared = probe.compareAll(await observeSandbox(values, scope), observations);
  const outcomes = probe.judgeFacts({ current: textsOf({}), values, compared, unknown }, parts);
  const named = outcomes.flatMap(({ differences }) =>
    differences.map(({ kind, fact, place }) => `${kind} ${fact} ${place}`),
  );
  const changed = outcomes.flatMap(({ id, outcome }) => (outcome === 'setting' ? [id] : []));
  return { hits, named: [...new Set(named)].toSorted(), changed, outcomes, values };
}

test.each(byTitle(MUTATIONS))('names %s', async (_title, { target, change, named }) => {
  const found = await probeMutated(TARGETS[target] ?? FIELD, parseChange(change));
  expect(found.hits).toBeGreaterThan(0);
  expect([...found.named, ...found.changed].join('; ').replaceAll('body.data[].', '[].')).toBe(named);
});

test('finds no difference in unchanged responses', async () => {
  const unchanged: Change = (response) => response;
  const found = await probeMutated({ on: /./, part: 'charges' }, unchanged);
  expect([...found.named, ...found.changed]).toEqual([]);
  const session = await probeMutated({ on: /./, part: 'sessions' }, unchanged);
  expect([...session.named, ...session.changed]).toEqual([]);
});

test('stops at another environment instead of reporting a difference', async () => {
  const { list = FIELD, charge = FIELD } = TARGETS;
  const production = parseChange('set data.*.environment "PRODUCTION"');
  await expect(probeMutated(list, production)).rejects.toThrow(ProbeStop);
  await expect(probeMutated(charge, parseChange('set environment "LIVE"'))).rejects.toThrow('"LIVE"');
});

/** Services that show less: the affected facts, and the reason why they remain unknown. */
const UNKNOWNS = [
  {
    title: 'lists contain no items',
    target: { on: /^GET (?:withdrawals|accounts|webhook-endpoints)\S* 200/ },
    change: 'set data []',
    facts: [
      'withdrawal.statuses',
      'withdrawal.destination',
      'withdrawal.fee',
      'transaction.fields',
      'delivery.list',
    ],
    reason: /The list contains no items/,
  },
  {
    title: 'ids are looked up before the signature is verified',
    target: { on: /retry 401/ },
    change: 'status 404',
    facts: [
      'signature.encoding',
      'signature.path',
      'signature.tolerance',
      'nonce.lifetime',
      'charge.unknown_fields',
    ],
    reason: /A wrong signature gets 404|No signature is known/,
  },
  {
    title: 'the account is looked up before the fields are validated',
    target: FIELD,
    change: 'status 404',
    facts: ['charge.unknown_fields', 'charge.fields'],
    reason: /An invalid amount gets 404, and an unknown account 404/,
  },
  {
    title: 'fields are validated before the signature is verified',
    target: { on: /^POST pix 401/ },
    change: 'status 400',
    facts: ['endpoint.signature'],
    reason: /An unsigned charge gets 400/,
  },
];

test.each(byTitle(UNKNOWNS))('reports facts as unknown if %s', async (_title, row) => {
  const { target, change, facts, reason } = row;
  const { hits, outcomes, values, named } = await probeMutated(target, parseChange(change));
  expect(hits).toBeGreaterThan(0);
  expect(named).toEqual([]);
  expect(facts.filter((fact) => values[fact] !== undefined)).toEqual([]);
  const affected = outcomes.filter(({ id }) => facts.includes(id));
  const unknown = { outcome: 'unknown', reason: expect.stringMatching(reason) };
  expect(affected).toEqual(facts.map(() => expect.objectContaining(unknown)));
});

test('does not infer a scope from 401', async () => {
  const statusOf = ({ method, target, headers }: ParityRequest) => {
    if (method === 'POST') return 401;
    return headers['authorization'] === 'Bearer few' && target.includes('transactions') ? 403 : 200;
  };
  const implementation: Implementation = {
    credentials: { tokens: ['all', 'few'], signingSecret: 'x', accountId: 'x', kycToken: undefined },
    nowS: () => 0,
    skewS: () => 0,
    remaining: () => ({ requests: 99, refusedSignatures: 99 }),
    send: (request) => Promise.resolve({ status: statusOf(request), headers: {}, body: {}, sentMs: 0 }),
  };
  const scope = { parts: new Set<ProbePart>(['refusals']), hasIdentity: false, tokens: 2 };
  const observations = createObservations();
  const others = probe.selectQuestions(scope).filter(({ id }) => id !== 'scopes');
  observations.asked.push(...others.map(({ id }) => id));
  await probe.questionImplementation(implementation, observations, scope);
  expect(observations).toMatchObject({
    notes: {},
    unknown: {
      'transactions.scope': 'With these tokens, it can be pix:write or pix:read or webhooks:write.',
    },
  });
});
