import { describe, expect, test } from 'vitest';
import type { DeliveryLine, DeliveryView } from '../../src/http/control/exchanges.js';
import type { EndpointView } from '../../src/http/control/schema.js';
import type { TriggerResult } from '../../src/client/routes.js';
import type { RunningSandbox } from '../helpers/e2e/e2e.js';
import { Project } from '../helpers/e2e/e2e.js';
import { callApi, signatureHeaders } from '../helpers/e2e/e2e-api.js';
import { App } from '../helpers/e2e/e2e-app.js';

const START = '2026-01-31T12:00:00.000Z';
/** Sandbox time of the eight attempts (§8). */
const SCHEDULE_S = [0, 60, 360, 2160, 9360, 30960, 74160, 160560];

function secondsAfterStart(instant: string): number {
  return (Date.parse(instant) - Date.parse(START)) / 1000;
}

/** Makes the application a receiver of this project's sandbox; returns its endpoint's id. */
type Join = (project: Project, app: App) => Promise<AsyncDisposable & { readonly endpointId: string }>;

const receivers: Record<string, Join> = {
  'a registered endpoint': async (project, app) => {
    const created = ['endpoints', 'create', app.url, '--events', 'pix.settled'];
    const { id, secret } = await project.ask<EndpointView & { secret: string }>(created);
    app.secret = secret;
    return { endpointId: id, [Symbol.asyncDispose]: () => Promise.resolve() };
  },
  'a listener': async (project, app) => {
    const listener = await project.listen(['--forward-to', app.url]);
    const [endpoint] = (await project.ask<{ data: EndpointView[] }>(['endpoints', 'list'])).data;
    return {
      endpointId: endpoint?.id ?? '',
      [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
    };
  },
};

function startFrozen(project: Project, ...more: string[]): Promise<RunningSandbox> {
  return project.start(['--freeze', START, '--allow-local-endpoints', ...more]);
}

async function trigger(project: Project): Promise<DeliveryLine> {
  const { deliveries } = await project.ask<TriggerResult>(['trigger', 'pix.settled']);
  const [delivery] = deliveries;
  if (delivery === undefined || deliveries.length > 1) throw new Error('Expected one delivery.');
  return delivery;
}

function show(project: Project, { id }: { id: string }): Promise<DeliveryView> {
  return project.ask<DeliveryView>(['deliveries', 'show', id]);
}

describe.each(Object.entries(receivers))('a receiver of %s that always responds with 500', (_name, join) => {
  test('gets eight attempts on the schedule, then its delivery by a signed retry', async () => {
    using project = new Project();
    await using sandbox = await startFrozen(project);
    await using app = await App.start(sandbox.env('SANDBOX_WEBHOOK_SECRET'));
    await using joined = await join(project, app);
    app.answer = () => 500;
    const delivery = await trigger(project);

    const advanced = await project.ask<{ finished: boolean; to: string }>(['clock', 'advance', '45h']);
    expect(advanced).toMatchObject({ finished: true, to: '2026-02-02T09:00:00.000Z' });
    const dead = await show(project, delivery);
    expect(dead).toMatchObject({ status: 'FAILED', attempts: 8, last_error: 'HTTP_STATUS' });
    expect(dead.attempt_log.map(({ started_at }) => secondsAfterStart(started_at))).toEqual(SCHEDULE_S);
    expect(dead.attempt_log.map(({ response_status }) => response_status)).toEqual(Array(8).fill(500));
    expect(app.hooks).toHaveLength(8);
    expect(new Set(app.hooks.map(({ id, body }) => id + body)).size).toBe(1);
    await project.ask(['clock', 'advance', '30d']);
    expect(app.hooks).toHaveLength(8);

    const list = `/api/public/v1/webhook-endpoints/${joined.endpointId}/deliveries`;
    const listed = await callApi(sandbox, 'GET', `${list}?status=FAILED`);
    expect(listed.body.data).toMatchObject([{ id: delivery.id, status: 'FAILED', attempts: 8 }]);

    const retry = `${list}/${delivery.id}/retry`;
    const signed = await project.run(['sign', 'request', 'POST', retry]);
    const headers = Object.fromEntries(signed.stdout.split('\n').map((line) => line.split(': ')));
    const requeued = await callApi(sandbox, 'POST', retry, { headers });
    expect(requeued).toMatchObject({ status: 202, body: { id: delivery.id, status: 'PENDING' } });
    await project.ask(['wait', 'delivery', '--status', 'FAILED']);
    expect(app.hooks).toHaveLength(9);
    expect(await callApi(sandbox, 'POST', retry, { headers })).toMatchObject({
      status: 401,
      body: { error: { code: 'NONCE_REUSED' } },
    });

    app.answer = () => 200;
    const byHand = signatureHeaders(sandbox, 'POST', retry);
    expect(await callApi(sandbox, 'POST', retry, { headers: byHand })).toMatchObject({ status: 202 });
    await project.ask(['wait', 'delivery', '--status', 'DELIVERED']);
    expect(await show(project, delivery)).toMatchObject({ status: 'DELIVERED', attempts: 10 });
    expect(app.refusals).toEqual([]);
  });
});

describe('attempts in flight', () => {
  test('attempts in flight let the API respond immediately to a receiver during an advance', async () => {
    using project = new Project();
    await using sandbox = await startFrozen(project);
    await using app = await App.start();
    const createEndpoint = ['endpoints', 'create', app.url, '--events', 'pix.settled'];
    app.secret = (await project.ask<{ secret: string }>(createEndpoint)).secret;
    const charges: { status: number; atS: number }[] = [];
    app.answer = async ({ ordinal }) => {
      const path = '/api/public/v1/pix';
      const account = sandbox.env('SANDBOX_ACCOUNT_ID');
      const body = JSON.stringify({ code: `echo-${ordinal}`, account_id: account, amount: '1.00' });
      const headers = signatureHeaders(sandbox, 'POST', path, body);
      const [listed, created] = await Promise.all([
        callApi(sandbox, 'GET', '/api/public/v1/withdrawals'),
        callApi(sandbox, 'POST', path, { headers, body }),
      ]);
      if (listed.status !== 200) throw new Error(`Expected a list; got ${listed.status}.`);
      charges.push({ status: created.status, atS: secondsAfterStart(created.body.created_at) });
      return 500;
    };
    const delivery = await trigger(project);
    await project.ask(['clock', 'advance', '45h']);
    expect(charges).toEqual(SCHEDULE_S.map((atS) => ({ status: 201, atS })));
    const { attempt_log: log } = await show(project, delivery);
    expect(log.map(({ error }) => error)).toEqual(Array(8).fill('HTTP_STATUS'));
  });

  test('attempts in flight are removed by a reset', async () => {
    using project = new Project();
    await using sandbox = await startFrozen(project, '--seed', '7');
    const state = async () => (await fetch(`${sandbox.url}/_sandbox/state`)).json();
    const atFirst = await state();
    await using app = await App.start();
    const create = ['endpoints', 'create', app.url];
    app.secret = (await project.ask<{ secret: string }>(create)).secret;
    app.answer = () => 500;
    await trigger(project);

    app.answer = ({ hungUp }) =>
      new Promise((resolve) => hungUp.addEventListener('abort', () => resolve(200)));
    const advance = project.run(['clock', 'advance', '45h', '--json']);
    await app.came(2);
    const bystander = project.run(['trigger', 'pix.failed', '--json']);
    await app.came(3);
    await project.ask(['reset']);
    const { exitCode, stdout } = await advance;
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ finished: false });
    expect((await bystander).exitCode).toBe(0);
    expect(app.hooks.slice(1).map(({ hungUp }) => hungUp.aborted)).toEqual([true, true]);
    expect(await state()).toEqual(atFirst);
    expect(await project.ask(['status'])).toMatchObject({ idle: true, attempts_in_flight: 0, events: 0 });
    await project.ask(['clock', 'advance', '45h']);
    expect(app.hooks).toHaveLength(3);
  });
});
