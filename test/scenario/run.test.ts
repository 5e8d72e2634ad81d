import { describe, expect, test } from 'vitest';
import { createCompletedAttempt } from '../../src/delivery/attempt-failure.js';
import { createSandbox, type TestSandbox } from '../../src/index.js';
import { runScenario } from '../../src/scenario/run.js';
import type { Target } from '../../src/scenario/api-clients.js';
import { failureOf, runFresh, scenarioOf } from '../helpers/scenario/scenarios.js';

function targetOf(sandbox: TestSandbox): Target {
  return { env: sandbox.env, fetch: (path, init) => sandbox.fetch(path, init) };
}

function runAgainst(sandbox: TestSandbox, steps: object[], more: object = {}) {
  return runScenario(scenarioOf({ steps, ...more }), { target: targetOf(sandbox), isFresh: false });
}

const PIX = '/api/public/v1/pix';

describe('a failing step', () => {
  test('ends the scenario and skips the following steps', async () => {
    const { passed, steps } = await runFresh([
      { trigger: 'pix.settled' },
      { expect: { events: ['pix.failed'] }, note: 'It was paid.' },
      { reset: true },
    ]);
    expect(passed).toBe(false);
    expect(steps.map(({ number, title, status }) => [number, title, status])).toEqual([
      [1, 'trigger pix.settled', 'passed'],
      [2, 'expect events', 'failed'],
      [3, 'reset', 'skipped'],
    ]);
    expect(steps[1]).toMatchObject({ note: 'It was paid.' });
  });

  test.each<[string, object[], (string | RegExp)[]]>([
    [
      'names a rejection by the sandbox, and its reason',
      [{ settle: { charge: 'nothing' } }],
      [
        'POST /_sandbox/charges/nothing/settle returned 404 NOT_FOUND: There is no charge with the id or code nothing.',
        'Find the id with `npx sandbox charges list`.',
      ],
    ],
    [
      'names the fields',
      [{ create: { charge: { amount: '0.00' } } }],
      [
        /POST \/api\/public\/v1\/pix returned 400 INVALID_REQUEST/,
        /^ {2}amount: The amount must be above zero/,
      ],
    ],
    [
      'a request with another response',
      [{ call: { method: 'POST', path: PIX, body: {}, expect: { status: 201, body: { code: 'a' } } } }],
      [
        `POST ${PIX}: status is 400, expected 201`,
        `POST ${PIX}: body.code is nothing, expected "a"`,
        /^The error was INVALID_REQUEST/,
      ],
    ],
    [
      'a response that was not dropped',
      [{ call: { method: 'GET', path: PIX, expect: { lost: true } } }],
      [`GET ${PIX}: expected a lost response; got 405.`],
    ],
    [
      'a dropped response',
      [{ fault: { action: 'reset' } }, { create: { charge: {} } }],
      [`POST ${PIX}: the response was lost.`],
    ],
    [
      'of a reference',
      [{ create: { charge: {} }, as: 'order' }, { settle: { charge: '${order.idd}' } }],
      ['${order.idd}: order has no field idd. Did you mean id?'],
    ],
    [
      'a reference to a value of another shape',
      [{ create: { charge: {} }, as: 'order' }, { settle: { charge: '${order.fees}' } }],
      ['settle.charge: Expected the id or code of a charge; got an object.'],
    ],
    ['an invalid nonce', [{ call: { method: 'POST', path: PIX, nonce: 'short' } }], [/nonce with 16 to 128/]],
    [
      'of a balance',
      [{ trigger: 'pix.settled' }, { expect: { balance: '+1.00' } }],
      ['balance: expected +1.00; the balance changed by +99.20.'],
    ],
    [
      'of a charge',
      [
        { create: { charge: { code: 'a' } } },
        { expect: { charge: { id: 'a', status: 'SETTLED', amount: '1.00' } } },
      ],
      ['charge a: status is "PENDING", expected "SETTLED"', 'charge a: amount is "100.00", expected "1.00"'],
    ],
    [
      'of a result',
      [
        { create: { session: {} }, as: 's' },
        { expect: { result: { session: '${s.sessionId}', status: 'approved' } } },
      ],
      ['result: status is null, expected "approved"'],
    ],
  ])('explains why: %s', async (_, steps, reasons) => {
    const [number, ...found] = failureOf(await runFresh(steps)) ?? [];
    expect(number).toBe(steps.length);
    const isOther = (line: unknown, index: number) => {
      const reason = reasons[index];
      return reason instanceof RegExp ? !reason.test(String(line)) : line !== reason;
    };
    expect(found.filter(isOther)).toEqual([]);
    expect(found).toHaveLength(reasons.length);
  });

  test('reports every failed expectation', async () => {
    const outcome = await runFresh([
      { expect: { events: 'pix.settled', calls: { status: 201 }, balance: '1.00' } },
    ]);
    expect(failureOf(outcome)?.filter((line) => !String(line).startsWith(' '))).toEqual([
      1,
      'events: expected at least 1 with {"type":"pix.settled"}; got 0.',
      'calls: expected at least 1 with {"status":201}; got 0.',
      'balance: expected 1.00; the balance is 10000.00.',
    ]);
  });
});

describe('scenario requests', () => {
  test('scenario requests are signed, may repeat a nonce, and may be unsigned', async () => {
    const body = { code: 'a', account_id: '${env.SANDBOX_ACCOUNT_ID}', amount: '10.00' };
    const nonce = 'the-same-nonce-twice';
    const outcome = await runFresh([
      { call: { method: 'POST', path: PIX, body, nonce }, as: 'first' },
      {
        call: {
          method: 'POST',
          path: PIX,
          body,
          nonce,
          expect: { status: 401, body: { error: { code: 'NONCE_REUSED' } } },
        },
      },
      { call: { method: 'POST', path: PIX, body, signed: false, expect: { status: '4*' } } },
      {
        call: {
          method: 'POST',
          path: PIX,
          body,
          headers: { 'X-Signature': '0'.repeat(64) },
          expect: { body: { error: { code: 'SIGNATURE_INVALID' } } },
        },
      },
      {
        expect: {
          charge: { id: '${first.body.id}' },
          calls: [{ status: 201 }, { error: 'NONCE_REUSED' }, { status: 401 }, { status: 401 }],
        },
      },
    ]);
    expect(failureOf(outcome)).toBeUndefined();
  });

  test.each([
    { 'signature.encoding': 'base64', 'signature.digest_encoding': 'base64' },
    { 'signature.path': 'target' },
  ])('scenario requests are signed as the sandbox assumes: %j', async (assume) => {
    const outcome = await runFresh({
      sandbox: { assume },
      steps: [
        {
          call: {
            method: 'POST',
            path: `${PIX}?x=1`,
            body: { code: 'a', account_id: '${env.SANDBOX_ACCOUNT_ID}', amount: '1.00' },
          },
        },
      ],
    });
    expect(failureOf(outcome)).toBeUndefined();
  });

  test('sent by expectations are not counted', async () => {
    const outcome = await runFresh([
      { create: { session: {} }, as: 's' },
      {
        expect: { transactions: { count: 0 }, result: { session: '${s.sessionId}', error: 'NOT_TERMINAL' } },
      },
      { expect: { calls: [{ api: 'identity', status: 201 }] } },
    ]);
    expect(failureOf(outcome)).toBeUndefined();
  });
});

describe('the beginning of a fresh sandbox', () => {
  test('the beginning of a fresh sandbox is the same at every run', async () => {
    // The id stands in the reason.
    const steps = [{ create: { charge: {} }, as: 'order' }, { settle: { charge: '${order.id}x' } }];
    const first = failureOf(await runFresh(steps));
    expect(first?.[1]).toContain('There is no charge');
    expect(failureOf(await runFresh(steps))).toEqual(first);
  });

  test('follows the head of the scenario', async () => {
    const outcome = await runFresh({
      sandbox: {
        freeze: '2030-01-01T00:00:00Z',
        assume: { 'charge.lifetime': '10m' },
        auto_settle: '5m',
        kyc_auto: { status: 'rejected' },
        allow_local_endpoints: true,
      },
      steps: [
        { create: { charge: {} }, as: 'order' },
        {
          expect: {
            charge: {
              id: '${order.id}',
              created_at: '2030-01-01T00:00:00.000Z',
              expires_at: '2030-01-01T00:10:00.000Z',
            },
          },
        },
        { create: { session: {} }, as: 's' },
        { create: { endpoint: { url: 'http://127.0.0.1:9/', events: ['pix.failed'] } } },
        { advance: '5m' },
        { expect: { events: ['pix.settled'], result: { session: '${s.sessionId}', status: 'rejected' } } },
      ],
    });
    expect(failureOf(outcome)).toBeUndefined();
  });
});

describe('a scenario against a sandbox with a history', () => {
  test('a scenario is named by the timeline as the origin of each history, in any script', async () => {
    await using sandbox = await createSandbox({ port: false });
    await runScenario(scenarioOf({ steps: [{ trigger: 'pix.settled' }, { advance: '1h' }] }), {
      target: targetOf(sandbox),
      isFresh: false,
      name: 'pagamento à vista 100%',
    });
    const answer = await sandbox.fetch('/_sandbox/timeline?q=by:scenario');
    const { data } = (await answer.json()) as { data: { cause: number | null; scenario?: string }[] };
    const roots = data.filter(({ cause }) => cause === null);
    expect(roots.map(({ scenario }) => scenario)).toEqual([
      'pagamento à vista 100%',
      'pagamento à vista 100%',
    ]);
  });

  test('ignores due items of older charges, unless a step named them', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
    for (const code of ['older', 'old']) await sandbox.charges.create({ code });
    const outcome = await runAgainst(
      sandbox,
      [
        { create: { charge: { code: 'new' } } },
        { advance: '24h' },
        { expect: { events: ['pix.expired'], deliveries: { count: 1 }, received: [{ code: 'new' }] } },
        { settle: { charge: 'older' } },
        {
          expect: {
            received: [
              { code: 'older', type: 'pix.expired' },
              { code: 'new' },
              { type: 'pix.settled', code: 'older' },
            ],
          },
        },
      ],
      { receiver: {} },
    );
    expect(failureOf(outcome)).toBeUndefined();
  });

  test('removes everything that it added, even after a failure', async () => {
    await using sandbox = await createSandbox({ port: false });
    await sandbox.faults.add({ action: 'duplicate' });
    const steps = [
      { fault: { action: 'status', status: 503, path: PIX } },
      { fault: { action: 'drop' } },
      { create: { charge: {} } },
    ];
    const outcome = await runAgainst(sandbox, steps, { receiver: {} });
    expect(failureOf(outcome)?.[0]).toBe(3);
    expect((await sandbox.faults.list()).map(({ action }) => action)).toEqual(['duplicate']);
    expect(await sandbox.endpoints.list()).toEqual([]);
  });

  test('removes everything that it added when it is stopped in the middle', async () => {
    await using sandbox = await createSandbox({ port: false });
    const stopping = new AbortController();
    const target: Target = {
      env: sandbox.env,
      fetch: (path, init) => {
        if (path.endsWith('/trigger')) stopping.abort(new Error('Ctrl-C'));
        init?.signal?.throwIfAborted();
        return sandbox.fetch(path, init);
      },
    };
    const scenario = scenarioOf({
      receiver: {},
      steps: [{ fault: { action: 'drop' } }, { trigger: 'pix.settled' }],
    });
    const work = runScenario(scenario, { target, isFresh: false, signal: stopping.signal });
    await expect(work).rejects.toThrow('Ctrl-C');
    expect([await sandbox.faults.list(), await sandbox.endpoints.list()]).toEqual([[], []]);
  });

  test('reports what of its head was not applied', async () => {
    await using sandbox = await createSandbox({ port: false });
    const outcome = await runAgainst(sandbox, [{ trigger: 'pix.settled' }], {
      sandbox: { seed: '7', freeze: '2026-01-31T12:00:00Z' },
    });
    expect(outcome).toMatchObject({
      passed: true,
      notes: [
        'The running sandbox does not apply these settings: sandbox.seed, sandbox.freeze. Apply them with --fresh.',
      ],
    });
  });

  test('reports a disconnected sandbox as the reason, and ends at a signal', async () => {
    const target: Target = { env: {}, fetch: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    const scenario = scenarioOf({ steps: [{ trigger: 'pix.settled' }] });
    const outcome = await runScenario(scenario, { target, isFresh: false });
    expect(failureOf(outcome)).toEqual([0, 'The sandbox does not respond: connect ECONNREFUSED']);
    const aborted = runFresh([{ trigger: 'pix.settled' }], {
      signal: AbortSignal.abort(new Error('Ctrl-C')),
    });
    await expect(aborted).rejects.toThrow('Ctrl-C');
  });
});

describe('the scenario receiver', () => {
  test('responds sequentially, and may be reconfigured', async () => {
    const outcome = await runFresh({
      receiver: { answers: [500, 'timeout', 302, 200], retries: 'fast', events: ['pix.settled'] },
      steps: [
        { trigger: 'pix.failed' },
        { trigger: 'pix.settled' },
        { advance: '14s' },
        {
          expect: {
            received: [
              { answer: 500, attempt: 1 },
              { answer: 'timeout' },
              { answer: 302 },
              { answer: 200, attempt: 4 },
            ],
          },
        },
        { receiver: { answers: ['reset'] } },
        { trigger: 'pix.settled' },
        { expect: { deliveries: { status: 'PENDING', last_error: 'CONNECTION_RESET', count: 1 } } },
      ],
    });
    expect(failureOf(outcome)).toBeUndefined();
  });

  test('runs through incidents, and stops only its own', async () => {
    await using sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
    await sandbox.incidents.start('sent-twice');
    const held = { name: 'bank', duration: '30m', faults: [{ action: 'hold', every: 1 }] };
    const steps = [
      { incident: 'api-down' },
      { call: { method: 'GET', path: '/api/public/v1/withdrawals', expect: { status: 503 } } },
      { incident: held, as: 'bank' },
      { trigger: 'pix.settled' },
      { expect: { deliveries: [{ status: 'PENDING', attempts: 0 }], received: [] } },
      { incident: 'none' },
      { expect: { received: [{ type: 'pix.settled' }, { type: 'pix.settled', duplicate: true }] } },
      { incident: { name: 'api-down', duration: '1m' } },
      { advance: '1m' },
      { call: { method: 'GET', path: '/api/public/v1/withdrawals' } },
    ];
    const outcome = await runAgainst(sandbox, steps, { receiver: {} });
    expect(failureOf(outcome)).toBeUndefined();
    const running = (await sandbox.incidents.list()).filter((incident) => incident.running);
    expect(running.map(({ name }) => name)).toEqual(['sent-twice']);
  });

  test('rejects forgeries, and states the reason', async () => {
    const outcome = await runFresh({
      receiver: {},
      steps: [
        { fault: { action: 'wrong-signature', count: 1 } },
        { trigger: 'pix.settled' },
        {
          expect: {
            received: [{ verified: false, cause: 'signature_mismatch', answer: 400, signed_with: [] }],
            deliveries: { last_response_status: 400 },
          },
        },
        { fault: 'none' },
        { advance: '1m' },
        { expect: { received: { verified: true, attempt: 2, duplicate: false, count: 1 } } },
      ],
    });
    expect(failureOf(outcome)).toBeUndefined();
  });

  test('the scenario receiver is registered again after a reset, and has received nothing', async () => {
    const outcome = await runFresh({
      receiver: {},
      steps: [
        { trigger: 'pix.settled' },
        { reset: true },
        { trigger: 'pix.failed' },
        { expect: { received: ['pix.failed'], events: ['pix.failed'] } },
      ],
    });
    expect(failureOf(outcome)).toBeUndefined();
  });

  test('passes what it accepts to an application, whose response counts', async () => {
    const bodies: string[] = [];
    const outcome = await runFresh(
      {
        receiver: { answers: [500, 200] },
        steps: [
          { trigger: 'pix.settled' },
          { advance: '1m' },
          {
            expect: {
              received: [{ answer: 500 }, { answer: 422 }],
              deliveries: { attempts: 2, last_response_status: 422 },
            },
          },
        ],
      },
      {
        forward: ({ body }) => {
          bodies.push(body.toString());
          return Promise.resolve(createCompletedAttempt(422, null));
        },
      },
    );
    expect(failureOf(outcome)).toBeUndefined();
    expect(bodies).toEqual([expect.stringContaining('"type":"pix.settled"')]);
  });

  test('records the response of an application with the attempt', async () => {
    await using sandbox = await createSandbox();
    const response = { headers: [], body: Buffer.from('out of stock'), truncated: false };
    await runScenario(scenarioOf({ steps: [{ trigger: 'pix.settled' }] }), {
      target: targetOf(sandbox),
      isFresh: true,
      forward: () => Promise.resolve({ ...createCompletedAttempt(422, null), response }),
    });
    const [line] = await sandbox.deliveries.list();
    const { attempt_log: log } = await sandbox.deliveries.get(line?.id ?? '');
    expect(log.at(-1)).toMatchObject({ response_status: 422, response: { body: 'out of stock' } });
  });
});

test('shows no secret and no session id in a reason', async () => {
  const outcome = await runFresh({
    sandbox: { allow_local_endpoints: true },
    steps: [
      { create: { session: {} }, as: 'session' },
      {
        call: {
          method: 'POST',
          path: '/api/public/v1/webhook-endpoints',
          body: { url: 'http://127.0.0.1:9/', events: ['pix.settled'] },
          expect: { body: { secret: 'another', url: '${session.sessionId}' } },
        },
      },
    ],
  });
  const reasons = failureOf(outcome)?.join('\n') ?? '';
  expect(reasons).toContain('body.secret is "whsec_…", expected "another"');
  expect(reasons).toMatch(/expected "kyc_[0-9a-f]{8}…"/);
});
