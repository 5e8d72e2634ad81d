import * as fc from 'fast-check';
import type { Sandbox } from '../../../../src/sandbox/sandbox.js';
import { stateFile } from '../../../../src/sandbox/state-file.js';
import { signRequest } from '../../../../src/signing/request.js';
import type { Chance } from '../../chance.js';
import type { Operation, Parameter } from '../../openapi/openapi-documents.js';
import { valuesOf } from '../../core/schema-values.js';

/** An operation of either document. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A request on its way to being bytes; mistakes change it in place. */
export interface Draft {
  readonly target: Target;
  method: string;
  path: string;
  readonly query: [name: string, value: string][];
  readonly headers: [name: string, value: string][];
  json: unknown;
  /** In the place of the JSON. */
  raw: Buffer | undefined;
  /** Changes what is signed; undefined signs nothing. */
  sign: Readonly<Record<string, string | number>> | undefined;
  /** Changes what is written, after the signing. */
  readonly rewrites: ((text: string) => string)[];
  /** The client leaves before the end of its body. */
  breaksOff: boolean;
  readonly mistakes: string[];
}

/** What a draft is made from: the world as it is, and how the client has come by. */
export interface Surroundings {
  readonly sandbox: Sandbox;
  readonly chance: Chance;
  /** Cursors that earlier pages have given. */
  readonly cursors: readonly string[];
  readonly controlToken: string | undefined;
  readonly nonce: string;
}

/** Hosts of endpoints are known under this name alone; its deliveries are refused at once. */
const HOOKS = 'https://refused.example/hooks';
/** A state that is larger costs more than it shows. */
const MOST_STATE_BYTES = 300_000;
/** What waits in real time waits no longer than this. */
const PATIENCE = '2ms';
const OFTEN = 0.85;

export function pick<Item>(chance: Chance, items: readonly [Item, ...Item[]]): Item;
export function pick<Item>(chance: Chance, items: readonly Item[]): Item | undefined;
export function pick<Item>(chance: Chance, items: readonly Item[]): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}

/** A request that the operation's own description allows, with ids of rows that there are. */
export function draftOf(target: Target, around: Surroundings): Draft {
  const { operation } = target;
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((one) => one.in === 'query').flatMap((one) => queryOf(one, around));
  const json = bodyOf(target, around);
  const draft: Draft = {
    target,
    method: target.method,
    path: pathOf(target.path, around),
    query,
    headers: [['Host', 'localhost']],
    json,
    raw: undefined,
    sign: operation.security.some((one) => 'signature' in one) ? {} : undefined,
    rewrites: [],
    breaksOff: false,
    mistakes: [],
  };
  const bearer = bearerFor(operation, around);
  if (bearer !== undefined) draft.headers.push(['Authorization', `Bearer ${bearer}`]);
  if (json !== undefined) draft.headers.push(['Content-Type', 'application/json']);
  for (const { name } of parameters.filter((one) => one.in === 'header')) {
    draft.headers.push([name, `attempt-of-client-${Math.floor(around.chance() * 40)}`]);
  }
  return draft;
}

function bearerFor({ security }: Operation, { sandbox, controlToken }: Surroundings): string | undefined {
  const scheme = security.find((one) => Object.keys(one).length > 0) ?? {};
  const [app] = sandbox.world.apps.rows;
  if ('bearer' in scheme) return app?.token;
  if ('kycCredential' in scheme) return sandbox.world.organizations.rows[0]?.kycToken ?? undefined;
  return controlToken;
}

/** Ids of the rows that a path speaks of, newest rows first among equals. */
function idsFor(path: string, name: string, { sandbox }: Surroundings): readonly string[] {
  const { world } = sandbox;
  const last = (rows: readonly { readonly id: string }[]) => rows.slice(-20).map(({ id }) => id);
  const endpoints = [...world.endpoints.values()];
  if (name === 'deliveryId') return last(world.deliveries.rows);
  if (name === 'sessionId' || path.includes('kyc/')) return last(world.sessions.rows);
  if (path.includes('accounts/')) return [...world.accounts.keys()];
  if (path.includes('listeners/')) return last(endpoints.filter(({ transport }) => transport === 'listener'));
  if (path.includes('endpoints/')) return last(endpoints);
  if (path.includes('charges/'))
    return [...last(world.charges.rows), ...world.charges.rows.slice(-9).map(({ code }) => code)];
  if (path.includes('withdrawals/')) return last(world.withdrawals.rows);
  if (path.includes('events/')) return last(world.events.rows);
  if (path.includes('deliveries/')) return last(world.deliveries.rows);
  if (path.includes('snapshots/')) return sandbox.snapshots.list().map((snapshot) => snapshot.name);
  if (path.includes('apps/')) return ['default', ...last(world.apps.rows)];
  if (path.includes('trace/')) return [...last(world.deliveries.rows), ...last(world.events.rows)];
  if (path.includes('faults/')) return [...world.faults.keys()];
  if (path.includes('calls/'))
    return sandbox.calls
      .newest()
      .slice(0, 9)
      .map(({ requestId }) => requestId);
  throw new Error(`Nobody knows what ${name} is in ${path}; say so here.`);
}

function pathOf(template: string, around: Surroundings): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pick(around.chance, idsFor(template, name, around)) ?? 'none'),
  );
}

function queryOf({ name, schema, required }: Parameter, around: Surroundings): [string, string][] {
  const { chance, sandbox } = around;
  if (name === 'timeout') return [[name, PATIENCE]];
  if (required !== true && chance() < 0.6) return [];
  const known: Readonly<Record<string, readonly string[]>> = {
    after: around.cursors,
    before: around.cursors,
    app: ['default', ...sandbox.world.apps.rows.map(({ id }) => id)],
    endpoint: [...sandbox.world.endpoints.keys()],
    event: sandbox.world.events.rows.slice(-9).map(({ id }) => id),
    since: sandbox.calls
      .newest()
      .slice(0, 9)
      .map(({ requestId }) => requestId),
  };
  const value = pick(chance, known[name] ?? []) ?? sampled(schema, chance);
  return value === null || value === undefined
    ? []
    : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
}

const arbitraries = new WeakMap<object, fc.Arbitrary<unknown>>();

function sampled(schema: object, chance: Chance): unknown {
  const arbitrary = arbitraries.get(schema) ?? valuesOf(schema as Parameters<typeof valuesOf>[0]);
  arbitraries.set(schema, arbitrary);
  return fc.sample(arbitrary, { numRuns: 1, seed: Math.floor(chance() * 2 ** 31) })[0];
}

function bodyOf({ path, operation }: Target, around: Surroundings): unknown {
  const content = operation.requestBody?.content['application/json'];
  if (content === undefined) return undefined;
  if (path.endsWith('/state')) return stateOf(around);
  const isDelay = path.endsWith('/faults');
  return fitting(sampled(content.schema, around.chance), around, isDelay);
}

function stateOf({ sandbox }: Surroundings): unknown {
  const text = JSON.stringify(stateFile({ world: sandbox.world, rate: sandbox.clock.rate }));
  return text.length > MOST_STATE_BYTES ? {} : JSON.parse(text);
}

/** The same value with what no schema can say: rows that exist, hosts that are known, and short waits. */
function fitting(value: unknown, around: Surroundings, isFault: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { chance, sandbox } = around;
  const { world, credentials } = sandbox;
  const rowOf = (rows: readonly { readonly id: string }[]) => pick(chance, rows.slice(-9))?.id ?? 'none';
  const fit: Readonly<Record<string, (given: unknown) => unknown>> = {
    account_id: () => credentials.accountId,
    url: () => `${HOOKS}/${Math.floor(chance() * 50)}`,
    origin: () => `https://shop-${Math.floor(chance() * 9)}.example`,
    charge: () => rowOf(world.charges.rows),
    withdrawal: () => rowOf(world.withdrawals.rows),
    endpoint: () => rowOf([...world.endpoints.values()]),
    app: () => 'default',
    ids: () => [rowOf(world.deliveries.rows)],
    count: () => 1,
    timeout: () => PATIENCE,
    at: () => new Date(world.now + Math.floor(chance() * 86_400_000)).toISOString(),
    by: (given) => (chance() < OFTEN ? `${Math.floor(chance() * 90_000)}s` : given),
    with: (given) => fitting(given, around, isFault),
    ...(isFault ? { delay: () => PATIENCE, method: () => 'POST', path: () => '/api/*' } : {}),
  };
  const entries = Object.entries(value).map(([name, given]: [string, unknown]) => {
    const wanted = given === null || given === undefined ? undefined : fit[name];
    return [name, wanted === undefined || chance() > OFTEN ? given : wanted(given)] as const;
  });
  return Object.fromEntries(entries);
}

/** What waits in real time says for how long, whatever mistakes were made. */
export function withPatience({ target, json, query }: Draft): unknown {
  const { path } = target;
  if (/\/(?:idle|wait)$/.test(path) && !query.some(([name]) => name === 'timeout'))
    query.push(['timeout', PATIENCE]);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const waits = /\/(?:until|trigger)$/.test(path);
  const slows = path.endsWith('/faults');
  return {
    ...json,
    ...(waits ? { timeout: PATIENCE } : {}),
    ...(slows ? { delay: PATIENCE, count: 1 } : {}),
  };
}

/** The bytes of a request: framed, signed, and then spoilt as its mistakes want it. */
export function bytesOf(draft: Draft, around: Surroundings): Buffer {
  const json = withPatience(draft);
  const body = draft.raw ?? Buffer.from(json === undefined ? '' : JSON.stringify(json));
  const query = draft.query.map(([name, value]) => `${encodeURIComponent(name)}=${escaped(value)}`).join('&');
  const target = query === '' ? draft.path : `${draft.path}?${query}`;
  const lines = [...draft.headers, ...signatureOf(draft, target, body, around)];
  if (body.length > 0 && !lines.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name)))
    lines.push(['Content-Length', String(body.length)]);
  // A client that leaves before the end has announced more than it sent.
  const announced = lines.find(([name]) => draft.breaksOff && name === 'Content-Length');
  if (announced !== undefined) announced[1] = String(body.length + 50);
  lines.push(['Connection', 'close']);
  let head = [
    `${draft.method} ${target} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  for (const rewrite of draft.rewrites) head = rewrite(head);
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** As it is where a mistake has written percent signs itself. */
function escaped(value: string): string {
  return value.startsWith('%') ? value.replaceAll(/[^\w%.~-]/g, '') : encodeURIComponent(wellFormed(value));
}

function signatureOf(
  draft: Draft,
  target: string,
  body: Buffer,
  { sandbox, nonce }: Surroundings,
): [string, string][] {
  const [app] = sandbox.world.apps.rows;
  if (draft.sign === undefined || app === undefined) return [];
  const { headers } = signRequest({
    // What cannot be signed is signed as something else.
    method: /^[A-Z]+$/.test(draft.method) ? draft.method : 'GET',
    target: /^\/[!-~]*$/.test(target) ? target : '/',
    secret: app.signingSecret,
    timestampS: Math.floor(sandbox.realNow() / 1000),
    nonce,
    ...draft.sign,
    body: typeof draft.sign['body'] === 'string' ? Buffer.from(draft.sign['body']) : body,
  });
  return Object.entries(headers);
}

/** Without lone surrogates, which no URL can carry. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
