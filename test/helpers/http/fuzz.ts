import { once } from 'node:events';
import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { findLedgerProblems } from '../../../src/core/payments/ledger.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { startServer } from '../../../src/http/server/start.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { createStateFile } from '../../../src/sandbox/state-file.js';
import { signRequest } from '../../../src/signing/request.js';
import type { Chance } from '../random.js';
import { chanceOf } from '../random.js';
import { mistaken, valuesOf } from '../core/schema-values.js';
import { ATTACKS } from '../e2e/hostile.js';
import type { Operation } from '../openapi/openapi-documents.js';
import { operationsOf, readDocuments } from '../openapi/openapi-documents.js';
import { answerValidator } from './response-validator.js';
import { START_MS } from './api-client.js';

interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** How long a request may wait in real time. */
const PATIENCE = '2ms';
const ODD = ['', ' ', '\0', '-1', '1e999', '__proto__', '\ud800', '\u202e', 'x'.repeat(5_000), ...ATTACKS];

/** Changes to a whole request; the body's length follows. */
const MUTATIONS: readonly ((head: string, body: string, odd: string) => readonly [string, string])[] = [
  (head, body) => [head, body.slice(0, body.length / 2)],
  (head, body) => [head, `${body} {}`],
  (head, body) => [head, body.replace(/"[^"]*"(?=[,}\]])|\d+/, '1e999')],
  (head, body) => [head, body.replace('{', '{"__proto__":{"isAdmin":true},')],
  (head) => [head, `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
  (head, body) => [head, body + ' '.repeat(1_100_000)],
  (head, body, odd) => [head, body.replace(/:"[^"]*"/, `:${JSON.stringify(odd)}`)],
  (head, body, odd) => [
    head.replace(' HTTP/', `?limit=${encodeURIComponent(odd.replaceAll(/\p{Cs}/gu, ''))} HTTP/`),
    body,
  ],
  (head, body) => [head.replace(' HTTP/', '?limit=%ff&limit=%zz HTTP/'), body],
  (head, body) => [head.replace(/^\w+/, 'PROPFIND'), body],
  (head, body) => [head.replace(/^\w+/, 'DELETE'), body],
  (head, body) => [head.replace(/ \/(\w)/, ' /%2f$1'), body],
  (head, body) => [head.replace(' /', ' /x/../'), body],
  (head, body) => [head.replace(' /', ' http://evil.example/'), body],
  (head, body) => [head.replace(/[^/ ]+ HTTP/, `${'x'.repeat(5_000)} HTTP`), body],
  (head, body) => [head.replace('Host: localhost', 'Host: evil.example'), body],
  (head, body) => [`${head}\r\nHost: localhost`, body],
  (head, body) => [`${head}\r\nOrigin: https://evil.example`, body],
  (head, body) => [`${head}\r\nContent-Type: text/plain`, body],
  (head, body) => [head.replace(/^Content-Type: .*$/m, 'Content-Type: application/xml'), body],
  (head, body) => [head.replace(/^Authorization: .*$/m, 'Authorization: Bearer x'), body],
  (head, body) => [head.replace(/^x-nonce: .*$/m, 'x-nonce: short'), body],
  (head, body) => [head.replace(/^(x-signature: ).*$/m, '$1nothing'), body],
  (head, body) => [head.replace(/^(x-timestamp: ).*$/m, '$11'), body],
  (head, body) => [`${head}\r\nX-Long: ${'x'.repeat(20_000)}`, body],
  (head, body) => [`${head}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked`, body],
  (head, body) => [`${head}\r\nExpect: the-unexpected\r\nUpgrade: websocket`, body],
  (head, body) => [head.replace('Host:', 'Host :'), body],
  (head, body) => [head.replace('\r\n', '\n'), body],
];

/**
 * Sends requests that the documents describe, most of them broken, and checks every response: documented, framed, never a
 * 5xx, and a refusal changes nothing. Throws with the seed and the request where a rule is broken.
 */
export async function fuzz({ seed, requests }: { readonly seed: number; readonly requests: number }) {
  const documents = await readDocuments();
  const targets = [...operationsOf(documents.service), ...operationsOf(documents.control)];
  const validator = await answerValidator();
  const server = await startServer({
    port: 0,
    seed: String(seed),
    freezeAt: START_MS,
    realNow: () => START_MS,
    assume: { 'charge.qr_image': 'omit' },
    policy: {
      routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]),
      allowLocalEndpoints: false,
      resolve: () => Promise.reject(new Error('Nobody is asked.')),
    },
  });
  const { sandbox } = server;
  const control = async (method: string, path: string, body: object = {}) => {
    const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await server.fetch(new Request(`http://localhost/_sandbox/${path}`, init), {})).status;
  };
  const bugs: string[] = [];
  const onWarning = ({ name, message }: Error) => name === 'SandboxBug' && bugs.push(message);
  process.on('warning', onWarning);
  const statuses: Record<number, number> = {};
  const operations = new Set<string>();
  try {
    for (let index = 0; index < requests; index += 1) {
      if (index % 50 === 0) await populate(control);
      const chance = chanceOf(seed * 1_000_003 + index);
      const target = pick(chance, targets);
      if (target === undefined) throw new Error('The documents describe nothing.');
      const bytes = requestOf(target, sandbox, chance, index);
      const before = rowsOf(sandbox);
      const { status, headers, body } = parse(await exchange(server.port, bytes));
      const faults = sandbox.calls.newest()[0]?.faults ?? [];
      const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(bytes) ?? [];
      const problem =
        problemOf(status, headers, body, faults.length > 0) ??
        (isValidated(path, headers, body)
          ? validator.problemOf({ method, target: path, status, mediaType: 'application/json', text: body })
          : undefined) ??
        (status >= 400 && faults.length === 0 && rowsOf(sandbox) !== before
          ? `A refused request changed the rows from ${before} to ${rowsOf(sandbox)}.`
          : undefined) ??
        findLedgerProblems(sandbox.world)[0] ??
        bugs[0];
      if (problem !== undefined) {
        throw new Error(
          `${problem}\n\nFUZZ_SEED=${seed} FUZZ_REQUESTS=${index + 1}:\n${bytes.slice(0, 3_000)}`,
        );
      }
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 200 && status < 300) operations.add(target.operation.operationId);
    }
    await control('DELETE', 'faults');
    await control('DELETE', 'receiver');
    await control('POST', 'clock/advance', { by: '2d' });
    await sandbox.attemptsEnded();
    const state = createStateFile({ world: sandbox.world, rate: sandbox.clock.rate });
    const imported = await control('PUT', 'state', state);
    if (imported !== 200 || !isDeepStrictEqual(exportWorld(sandbox.world), state.world)) {
      throw new Error(`FUZZ_SEED=${seed}: the final state does not import as it was exported: ${imported}.`);
    }
    return { statuses, operations };
  } finally {
    process.off('warning', onWarning);
    await server.close(0);
  }
}

function pick<Item>(chance: Chance, items: readonly Item[]): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}

/** Adds rows that requests can be about, and removes what would make all responses alike. */
async function populate(control: (method: string, path: string, body?: object) => Promise<number>) {
  await control('DELETE', 'faults');
  await control('POST', 'deliveries/resume');
  await control('POST', 'charges');
  await control('POST', 'withdrawals', { amount: '1.00' });
  await control('POST', 'kyc/sessions');
  await control('POST', 'endpoints', { url: 'https://refused.example/a', events: ['pix.settled'] });
  await control('POST', 'trigger', { type: 'pix.settled' });
  await control('POST', 'state/snapshots', { name: 'before' });
}

function rowsOf({ world }: Sandbox): string {
  const { charges, withdrawals, sessions, events, apps } = world;
  return [charges, withdrawals, sessions, events, apps].map(({ rows }) => rows.length).join();
}

/** The id of a row that a path may speak of. */
function idFor(path: string, { world, calls }: Sandbox, chance: Chance): string {
  const last = (rows: readonly { readonly id: string }[]) => rows.slice(-9).map(({ id }) => id);
  const ids: readonly (readonly [RegExp, readonly string[]])[] = [
    [/kyc\//, last(world.sessions.rows)],
    [/accounts\//, [...world.accounts.keys()]],
    [/endpoints\/|listeners\//, [...world.endpoints.keys()]],
    [/charges\//, last(world.charges.rows)],
    [/withdrawals\//, last(world.withdrawals.rows)],
    [/events\//, last(world.events.rows)],
    [/deliveries\/|trace\//, last(world.deliveries.rows)],
    [/snapshots\//, ['before']],
    [/apps\//, ['default']],
    [/faults\//, [...world.faults.keys()]],
    [/calls\//, calls.newest().map(({ requestId }) => requestId)],
  ];
  return pick(chance, ids.find(([part]) => part.test(path))?.[1] ?? []) ?? 'none';
}

const arbitraries = new WeakMap<object, fc.Arbitrary<unknown>>();

function bodyOf({ path, operation }: Target, sandbox: Sandbox, chance: Chance): string {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return '';
  // Broken states are those of core/state.
  if (path.endsWith('/state')) return '{}';
  const values =
    arbitraries.get(schema) ?? fc.oneof(valuesOf(schema), valuesOf(schema), mistaken(valuesOf(schema)));
  arbitraries.set(schema, values);
  const [sample] = fc.sample(values, { numRuns: 1, seed: Math.floor(chance() * 2 ** 31) });
  const { properties = {} } = schema as { readonly properties?: object };
  const fitting = {
    account_id: sandbox.credentials.accountId,
    url: 'https://refused.example/hooks',
    app: 'default',
    count: 1,
    timeout: PATIENCE,
    delay: PATIENCE,
    charge: undefined,
    withdrawal: undefined,
    endpoint: undefined,
    by: '1h',
  };
  const known = Object.entries(fitting).filter(([name]) => Object.hasOwn(properties, name));
  return JSON.stringify({ ...(sample as object), ...Object.fromEntries(known) });
}

function requestOf(target: Target, sandbox: Sandbox, chance: Chance, index: number): string {
  const { method, operation } = target;
  const id = idFor(target.path, sandbox, chance);
  const waits = /\/(?:idle|wait)$/.test(target.path) ? `?timeout=${PATIENCE}` : '';
  const path = target.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id)) + waits;
  let body = bodyOf(target, sandbox, chance);
  const schemes = new Set(operation.security.flatMap((one) => Object.keys(one)));
  const { token, kycToken, signingSecret: secret } = sandbox.credentials;
  const bytes = Buffer.from(body);
  const nonce = `nonce-of-request-${index}`;
  const timestampS = START_MS / 1000;
  const signed = schemes.has('signature')
    ? signRequest({ method, target: path, secret, timestampS, nonce, body: bytes }).headers
    : {};
  const headers = {
    Host: 'localhost',
    Authorization: `Bearer ${schemes.has('kycCredential') ? kycToken : token}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': `attempt-of-client-${index % 40}`,
    Connection: 'close',
    ...signed,
  };
  let head = [`${method} ${path} HTTP/1.1`, ...Object.entries(headers).map((pair) => pair.join(': '))].join(
    '\r\n',
  );
  for (let count = pick(chance, [0, 0, 1, 1, 1, 2]) ?? 0; count > 0; count -= 1) {
    [head, body] = pick(chance, MUTATIONS)?.(head, body, pick(chance, ODD) ?? '') ?? [head, body];
  }
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** All bytes until the server closes; of an event stream, the first. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1');
  let received = '';
  socket.on('data', (chunk: string) => {
    received += chunk;
    if (/^content-type: text\/event-stream/im.test(received)) socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return received;
}

function parse(text: string) {
  const [head = '', ...rest] = text.replace(/^HTTP\/1\.1 100 [^]*?\r\n\r\n/, '').split('\r\n\r\n');
  const headers = head.toLowerCase();
  const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString();
  return { status: Number(head.split(' ')[1]), headers, body };
}

function isValidated(path: string, headers: string, body: string): boolean {
  return (
    path.startsWith('/') &&
    body !== '' &&
    headers.includes('content-type: application/json') &&
    headers.includes('content-length: ') &&
    !body.includes('The request is not valid HTTP')
  );
}

function problemOf(status: number, headers: string, body: string, hasFaults: boolean): string | undefined {
  if (hasFaults) return undefined;
  if (!(status >= 200)) return 'The connection was closed without a response.';
  if (status >= 500 && status !== 503) return `It answered ${status}: ${body}`;
  const length = /content-length: (\d+)/.exec(headers)?.[1];
  if (body !== '' && length !== undefined && Number(length) !== Buffer.byteLength(body)) {
    return `The body is not as long as announced: ${headers}\n${body.slice(0, 500)}`;
  }
  if (status < 400 || body === '') return undefined;
  const { error } = JSON.parse(body) as { readonly error?: Readonly<Record<string, unknown>> };
  const isWhole = typeof error?.['code'] === 'string' && typeof error['message'] === 'string';
  return isWhole && headers.includes(String(error['request_id'])) ? undefined : `Not an error body: ${body}`;
}
