import { join } from 'node:path';
import { EVENT_TYPES } from '../../../src/contract/events.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';
import { scenarioService } from '../../../src/cli/commands/run/scenario-service.js';
import { CHECKED } from '../check/checked.js';
import type { AnswerBody, TestApi } from '../http/api-client.js';
import { chargeBody, START_MS, testApi } from '../http/api-client.js';
import { MessageReader } from '../http/http-events.js';
import type { Document } from './openapi-documents.js';
import { operationsOf, readDocuments } from './openapi-documents.js';

interface Example {
  request?: unknown;
  answers: Record<string, unknown>;
}

/** Real requests and answers by operation, and real webhooks by event type. */
export interface Examples {
  readonly service: Record<string, Example>;
  readonly control: Record<string, Example>;
  readonly webhooks: Record<string, unknown>;
}

interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a run of the sandbox does not repeat, and what an example says in its place. */
const STEADY: Readonly<Record<string, unknown>> = {
  instance_id: '00000000-0000-4000-8000-0000000000ff',
  pid: 4242,
  run: '00000000',
  duration_ms: 2.5,
  version: '1.0.0',
  latency_ms: 12.5,
  last_latency_ms: 12.5,
  real_at: new Date(START_MS).toISOString(),
};
/** Lists of which an example shows the first rows. */
const LONG = new Set(['data', 'attempt_log', 'deliveries', 'schedule', 'steps']);
const ROWS = 2;
/** Where the package is. */
const ROOT = join(import.meta.dirname, '../../..');

function steady(value: unknown, field = ''): unknown {
  if (value !== null && field in STEADY) return STEADY[field];
  if (Array.isArray(value)) {
    const shown: unknown[] = LONG.has(field) ? value.slice(0, ROWS) : value;
    return shown.map((item) => steady(item));
  }
  if (typeof value === 'string') {
    const known = value.replace(/^req_[0-9a-f]{32}$/, `req_${'0'.repeat(32)}`);
    return known
      .replace(/(?<=^PixSandbox-Webhooks\/).*$/, '1.0.0')
      .replace(ROOT, '/shop/node_modules/pix-sandbox');
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, steady(item, key)]));
}

/** Calls operations by their ids, and keeps what was sent and answered. */
class Tour {
  readonly examples: Examples = { service: {}, control: {}, webhooks: {} };
  readonly api: TestApi;
  readonly #documents: { readonly service: Document; readonly control: Document };

  constructor(api: TestApi, documents: { readonly service: Document; readonly control: Document }) {
    this.api = api;
    this.#documents = documents;
  }

  service(id: string, ask: Ask = {}): Promise<AnswerBody> {
    return this.#call('service', id, ask);
  }

  control(id: string, ask: Ask = {}): Promise<AnswerBody> {
    return this.#call('control', id, ask);
  }

  async #call(door: 'service' | 'control', id: string, { params = {}, query, body, headers = {} }: Ask) {
    const found = operationsOf(this.#documents[door]).find(({ operation }) => operation.operationId === id);
    if (found === undefined) throw new Error(`No operation is called ${id}.`);
    const path = found.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `{${name}}`);
    const target = query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
    const isIdentity = path.startsWith('/api/v1/kyc');
    const answer = await this.api.send(found.method, target, {
      ...(body === undefined ? {} : { body }),
      sign: door === 'service' && !isIdentity && found.method === 'POST',
      ...(door === 'control' ? { caller: null } : {}),
      ...(isIdentity ? { caller: { token: WELL_KNOWN_CREDENTIALS.kycToken ?? '', signingSecret: '' } } : {}),
      headers,
    });
    if (answer.status >= 400) throw new Error(`${id} answered ${JSON.stringify(answer.body)}`);
    const example = (this.examples[door][id] ??= { answers: {} });
    if (body !== undefined) example.request ??= body;
    example.answers[answer.status] ??= steady(answer.body);
    return answer.body;
  }
}

/** Goes through every operation that answers with one body, in an order in which all of them succeed. */
export async function makeExamples(): Promise<Examples> {
  const api: TestApi = await testApi({
    assume: { 'charge.qr_image': 'full' },
    seed: 'examples',
    onStop: () => undefined,
    scenarios: () => Promise.resolve(scenarioService(api.server, undefined)),
  });
  const tour = new Tour(api, await readDocuments());
  await aboutTheSandbox(tour);
  await charges(tour);
  await withdrawals(tour);
  await deliveries(tour);
  await listeners(tour);
  await identity(tour);
  await clock(tour);
  await callsAndState(tour);
  return tour.examples;
}

const URL = 'https://shop.example/webhooks';

async function aboutTheSandbox(tour: Tour): Promise<void> {
  for (const id of ['isLive', 'isReady', 'getEnv', 'listAssumptions', 'waitForIdle']) await tour.control(id);
  // Nothing leaves the machine: the fault answers in the receiver's place.
  await tour.control('addFault', { body: { on: 'delivery', action: 'answer', status: 500 } });
  await tour.control('listFaults');
  await tour.control('createApp', { body: { name: 'shop', scopes: ['pix:write', 'pix:read'] } });
  await tour.control('createAccount', { params: { id: 'shop' }, body: { opening_balance: '50.00' } });
  await tour.control('listApps');
  await tour.control('addOrigin', { params: { id: 'default' }, body: { origin: 'https://shop.example' } });
  const made = await tour.control('createEndpoint', { body: { url: URL, events: ['withdrawal.settled'] } });
  const id = { params: { id: made.id } };
  await tour.control('disableEndpoint', id);
  await tour.control('enableEndpoint', id);
  await tour.control('rotateEndpointSecret', id);
  await tour.control('deleteEndpoint', id);
  const body = { url: URL, events: EVENT_TYPES, description: 'The shop' };
  const own = await tour.service('createWebhookEndpoint', { body });
  await tour.service('listWebhookEndpoints');
  await tour.service('getWebhookEndpoint', { params: { endpoint_id: own.id } });
  await tour.service('rotateWebhookSecret', { params: { id: own.id } });
  await tour.control('listEndpoints');
  // Later the order of the timeline depends on how fast receivers answer.
  await tour.control('getBootstrap');
}

async function charges(tour: Tour): Promise<void> {
  const body = chargeBody({
    payer_name: 'Maria da Silva',
    payer_document: '529.982.247-25',
    metadata: { order: '1042' },
  });
  await tour.service('createCharge', { body });
  await tour.service('createCharge', { body });
  for (const code of ['order-2', 'order-3']) {
    const draft = { code, amount: '25.00' };
    await tour.control('createCharge', { body: draft });
    await tour.control('createCharge', { body: draft });
  }
  await tour.control('listCharges');
  await tour.control('getCharge', { params: { id: 'order-1' } });
  await tour.control('settleCharge', { params: { id: 'order-1' } });
  await tour.control('failCharge', { params: { id: 'order-2' }, body: { reason: 'AM04' } });
  await tour.control('expireCharge', { params: { id: 'order-3' } });
  await tour.service('listAccountTransactions', { params: { id: WELL_KNOWN_CREDENTIALS.accountId } });
}

async function withdrawals(tour: Tour): Promise<void> {
  for (const code of ['payout-1', 'payout-2']) {
    const draft = { code, amount: '100.00', pix_key: 'maria@example.com' };
    await tour.control('createWithdrawal', { body: draft });
    await tour.control('createWithdrawal', { body: draft });
  }
  await tour.control('getWithdrawal', { params: { id: 'payout-1' } });
  await tour.control('processWithdrawal', { params: { id: 'payout-1' } });
  await tour.control('settleWithdrawal', { params: { id: 'payout-1' } });
  await tour.control('returnWithdrawal', { params: { id: 'payout-1' }, body: { reason: 'AC03' } });
  await tour.control('failWithdrawal', { params: { id: 'payout-2' }, body: { reason: 'AC07' } });
  await tour.control('listWithdrawals');
  await tour.control('getLedger', { query: { limit: '2' } });
  await tour.service('listWithdrawals');
}

async function deliveries(tour: Tour): Promise<void> {
  await tour.api.sandbox.attemptsEnded();
  await tour.control('advanceClock', { body: { by: '2d' } });
  const endpoint = tour.examples.service['createWebhookEndpoint']?.answers[201] as AnswerBody;
  const listed = await tour.service('listWebhookDeliveries', { params: { id: endpoint.id } });
  const [delivery, another] = listed.data;
  if (delivery === undefined || another === undefined) throw new Error('Expected two deliveries.');
  const params = { endpoint_id: endpoint.id, delivery_id: delivery.id };
  await tour.service('retryWebhookDelivery', { params });
  await tour.control('retryDeliveries', { body: { event_type: 'pix.*' } });
  await tour.control('retryDelivery', { params: { id: another.id } });
  await tour.api.sandbox.attemptsEnded();
  await tour.control('listDeliveries');
  await tour.control('getDelivery', { params: { id: delivery.id } });
  await tour.control('waitForDeliveries', { query: { status: 'FAILED' } });
  await tour.control('awaitDeliveries', { body: { ids: [delivery.id], until: 'ended', timeout: '30s' } });
  await tour.control('removeFaults');
  await tour.control('addFault', { body: { on: 'delivery', action: 'answer', status: 200 } });
  await tour.control('trigger', {
    body: { type: 'pix.settled', with: { amount: '159.90' }, until: 'attempted' },
  });
  const { data } = await tour.control('listEvents');
  const id = data[0]?.id ?? '';
  await tour.control('getEvent', { params: { id } });
  await tour.control('getEventBody', { params: { id } });
  await tour.control('resendEvent', { params: { id } });
  await tour.control('pauseDeliveries');
  await tour.control('resumeDeliveries');
  await tour.api.sandbox.attemptsEnded();
  for (const type of EVENT_TYPES) {
    const event = tour.api.sandbox.world.events.rows.find((one) => one.type === type);
    const detail = await tour.api.control('GET', `events/${event?.id ?? ''}`);
    tour.examples.webhooks[type] = steady(detail.body['payload']);
  }
}

async function listeners(tour: Tour): Promise<void> {
  await tour.control('removeFaults');
  const endpoint = (tour.examples.service['createWebhookEndpoint']?.answers[201] as AnswerBody | undefined)
    ?.id;
  const other = { on: 'delivery', action: 'answer', status: 200, endpoint };
  await tour.api.control('POST', 'faults', other);
  const stream = new MessageReader(
    await tour.api.open('POST', '/_sandbox/listeners', {
      caller: null,
      body: { name: 'shop', events: ['pix.failed'] },
    }),
  );
  const { listener } = (await stream.nextOf('ready')) as { readonly listener: { readonly id: string } };
  await tour.api.control('POST', 'trigger', { type: 'pix.failed' });
  const attempt = await stream.nextOf('attempt');
  await tour.control('reportResult', {
    params: { id: listener.id },
    body: { attempt_id: attempt['attempt_id'], response_status: 200, latency_ms: 12.5 },
  });
  await tour.api.sandbox.attemptsEnded();
  await tour.control('leaveListener', { params: { id: listener.id } });
  await stream.cancel();
  await tour.control('turnOnReceiver', { body: { answer: { fail: 3 } } });
  await tour.api.control('POST', 'trigger', { type: 'pix.failed', until: 'attempted' });
  await tour.control('getReceiver');
  await tour.control('turnOffReceiver');
}

async function identity(tour: Tour): Promise<void> {
  const create = {
    body: { customerType: 'individual' },
    headers: { 'idempotency-key': 'attempt-of-maria-0001' },
  };
  const created = await tour.service('createKycSession', create);
  const sessionId = String(created['sessionId']);
  await tour.service('createKycSession', create);
  const params = { id: sessionId };
  await tour.control('createSession', { body: { customer_type: 'business' } });
  await tour.control('listSessions');
  await tour.control('getSession', { params });
  await tour.control('decideSession', { params, body: { status: 'approved', document: '529.982.247-25' } });
  await tour.control('getSessionResult', { params });
  await tour.service('getKycResult', { params: { sessionId } });
}

async function clock(tour: Tour): Promise<void> {
  await tour.control('getClock');
  await tour.control('getAgenda', { query: { limit: '3' } });
  await tour.control('nextDue');
  await tour.control('freezeClock', { body: { at: '2026-02-01T12:00:00Z' } });
  await tour.control('setSpeed', { body: { rate: 60 } });
  await tour.control('resetClock');
  await tour.control('freezeClock');
}

async function callsAndState(tour: Tour): Promise<void> {
  const { data } = await tour.control('listCalls', { query: { path: '*/pix' } });
  await tour.control('getCall', { params: { id: String(data[0]?.['id']) } });
  // A list is not signed, so what is sent again differs in nothing.
  const lists = await tour.control('listCalls', { query: { path: '*/withdrawals' } });
  const body = { app: 'default' };
  await tour.control('replayCall', { params: { id: String(lists.data[0]?.['id']) }, body });
  await tour.control('listLogs', { query: { limit: '2' } });
  const { data: entries } = await tour.control('getTimeline', { query: { q: 'kind:event', limit: '2' } });
  await tour.control('getTrace', { params: { id: String(entries[0]?.['id']) } });
  await tour.control('listScenarios');
  await tour.control('runScenario', { body: { name: 'paid', fresh: true } });
  await tour.control('recordScenario', { body: { name: 'what-happened' } });
  await tour.control('clearCalls');
  await tour.control('keepCheckReport', { body: CHECKED });
  await tour.control('getCheckReport');
  await tour.control('registerUse', { body: { command: 'explore' } });
  await tour.control('getStatus');
  await tour.control('takeSnapshot', { body: { name: 'before' } });
  await tour.control('listSnapshots');
  await tour.api.control('POST', 'charges', { code: 'order-4' });
  await tour.control('compareStates', { body: { from: 'before' } });
  await tour.control('restoreSnapshot', { params: { name: 'before' } });
  await tour.control('dropSnapshot', { params: { name: 'before' } });
  const fault = await tour.control('addFault', { body: { action: 'slow', delay: '3s' } });
  await tour.control('removeFault', { params: { id: fault.id } });
  await tour.control('stop');
  await tour.control('reset');
}
