import { describe, expect, onTestFinished, test } from 'vitest';
import { type TriggerBurst, computePercentile, runBurst } from '../../../src/cli/commands/trigger.js';
import { EXIT_CODES } from '../../../src/cli/program/errors.js';
import { parseDurationOption } from '../../../src/cli/program/options.js';
import type { ControlClient } from '../../../src/client/control.js';
import { createSocketClient } from '../../../src/client/socket.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { LIMITS } from '../../../src/contract/limits.js';
import { type CliSandbox, cliSandbox, register } from '../../helpers/cli/cli-sandbox.js';
import { askedIn, completed } from '../../helpers/cli/fake-prompter.js';
import { listenTo, settle, TestListener } from '../../helpers/sandbox/sandbox.js';

type Options = Readonly<Record<string, unknown>>;

function run(sandbox: CliSandbox, event: string, options: Options = {}, columns = 0) {
  return sandbox.run('trigger', { args: [event], options, columns });
}

/** The payload that the listener got last. */
function payload(listener: TestListener): unknown {
  return JSON.parse(listener.bodies().at(-1) ?? 'null');
}

describe('trigger', () => {
  test.each([
    ['pix.settled', { late: true }, false],
    ['pix.failed', {}, false],
    ['pix.expired', { count: '2' }, false],
  ])('prints the payment page of a charge that can still be paid: %s %o', async (event, options, isShown) => {
    await using sandbox = await cliSandbox();
    const { stdout } = await run(sandbox, event, options);
    const [charge] = sandbox.server.sandbox.world.charges.rows;
    const line = `pay page  ${sandbox.server.url}/pay/${charge?.id}\n`;
    expect(stdout.endsWith(line)).toBe(isShown);
    expect(stdout.includes('pay page')).toBe(isShown);
  });

  test('names a disabled endpoint when nothing receives it, and how to enable it', async () => {
    await using sandbox = await cliSandbox();
    const client = sandbox.server.sandbox;
    listenTo(client, { name: 'other', events: ['withdrawal.failed'] });
    const { endpoint } = listenTo(client, { name: 'shop' });
    client.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toBe(
      `No endpoint or listener receives this event.\nhint  The listener shop is disabled; \`npx sandbox endpoints enable ${endpoint.id}\` enables it.\n`,
    );
    await sandbox.run('endpoints enable', { args: [endpoint.id] });
    expect((await run(sandbox, 'pix.settled')).stdout).toContain('DELIVERED');
  });

  test('names what an endpoint receives instead when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    const { url } = register(sandbox, 'https://shop.example/hooks');
    const { stderr } = await run(sandbox, 'pix.failed');
    expect(stderr).toBe(
      `No endpoint or listener receives this event.\nhint  The endpoint ${url} receives only pix.settled; \`npx sandbox endpoints create ${url} --events pix.failed\` adds an endpoint for pix.failed.\n`,
    );
    listenTo(sandbox.server.sandbox, { name: 'shop', events: ['pix.expired'] });
    const both = await run(sandbox, 'pix.failed');
    expect(both.stderr.split('\n')[1]).toBe(
      'hint  The listener shop receives only pix.expired; its --events, or the setting `events`, must include pix.failed.',
    );
  });

  test('waits for the first attempts no longer than --timeout', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox, { status: () => undefined });
    const { exitCode, stdout } = await run(sandbox, 'pix.settled', { timeout: '50ms' });
    expect(exitCode).toBe(EXIT_CODES.done);
    expect(stdout).toContain('PENDING');
  }, 2_000);

  test('names the disconnected listener when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    new TestListener(sandbox.server.sandbox, { name: 'shop' }).hangUp();
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toContain(
      'The listener shop is not connected; start `npx sandbox listen --name shop` again.',
    );
  });

  test('does not mistake the test receiver for a listener of a terminal', async () => {
    await using sandbox = await cliSandbox();
    const { testReceiver } = sandbox.server.sandbox;
    testReceiver.turnOn(200);
    testReceiver.turnOff();
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toContain(
      'is not connected; press v in the `start` terminal to turn the test receiver back on.',
    );
  });
});

describe('trigger --override', () => {
  test('trigger --override may be repeated, also for metadata', async () => {
    await using sandbox = await cliSandbox();
    const listener = new TestListener(sandbox.server.sandbox);
    const override = ['data.object.status=PAID', 'data.object.metadata.a=two', 'schema_version=2'];
    await run(sandbox, 'pix.settled', { override, metadata: ['a=1'] });
    expect(payload(listener)).toMatchObject({
      schema_version: 2,
      data: { object: { status: 'PAID', metadata: { a: 'two' } } },
    });
  });
});

describe('trigger --count', () => {
  test('summarizes many deliveries, with latencies', async () => {
    await using sandbox = await cliSandbox();
    let count = 0;
    listenTo(sandbox.server.sandbox, {
      schedule: 'off',
      status: () => ((count += 1) % 5 === 0 ? 500 : 200),
    });
    const { stdout } = await run(sandbox, 'pix.settled', { count: '25' });
    const failed = sandbox.server.sandbox.world.deliveries.rows.find(({ status }) => status === 'FAILED');
    expect(stdout.trimEnd().split('\n')).toEqual([
      '25 events: pix.settled',
      '20 DELIVERED, 0 PENDING, 5 FAILED',
      'latency of the newest attempts: p50 1 ms, p95 1 ms, p99 1 ms',
      'failed attempts: 5; `npx sandbox deliveries list --failed` lists them. The first:',
      expect.stringMatching(/^  FAILED  500 in 1 ms/),
      `    delivery ${failed?.id}`,
      expect.stringContaining(`\`npx sandbox verify --delivery ${failed?.id}\``),
      '    4 more failed in the same way.',
    ]);
    const few = await run(sandbox, 'pix.settled', { count: '20' });
    expect(few.stdout.match(/^pix\.settled/gm)).toHaveLength(20);
    const { summary } = await sandbox.runJson('trigger', { args: ['pix.settled'], options: { count: '5' } });
    expect(summary).toEqual({
      made: 5,
      deliveries: 5,
      delivered: 4,
      pending: 0,
      failed: 1,
      latency_ms: { p50: 1, p95: 1, p99: 1 },
    });
    expect(await sandbox.runJson('trigger', { args: ['pix.settled'] })).not.toHaveProperty('summary');
  });

  test('shows a bar at a rate on a terminal, and none elsewhere', async () => {
    await using sandbox = await cliSandbox();
    const options = { count: '6', rate: '10' };
    const { stderr } = await run(sandbox, 'pix.settled', options, 80);
    expect(stderr).toMatch(/^\[█+·*\] \d of 6$/m);
    const piped = await run(sandbox, 'pix.settled', options);
    expect(piped.stderr).not.toContain('█');
    expect(sandbox.server.sandbox.world.events.rows).toHaveLength(12);
  });
});

describe('trigger --wait', () => {
  test('exits with 1 when one is FAILED', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox, { name: 'good' });
    listenTo(sandbox.server.sandbox, { name: 'bad', schedule: 'off', status: () => 500 });
    const { exitCode, stdout } = await run(sandbox, 'pix.settled', { wait: true });
    expect(exitCode).toBe(EXIT_CODES.no);
    expect(stdout).toMatch(/^ {2}FAILED {2}500/m);
  });

  test.for([{}, { count: '2', rate: '100' }])(
    'exits with 4 at the timeout, and shows how to continue %j',
    async (more) => {
      await using sandbox = await cliSandbox();
      listenTo(sandbox.server.sandbox, { status: () => 500 });
      const { exitCode, stderr } = await run(sandbox, 'pix.settled', {
        wait: true,
        timeout: '50ms',
        ...more,
      });
      expect(exitCode).toBe(EXIT_CODES.timedOut);
      expect(stderr).toContain('clock advance 45h');
      expect(stderr).toContain(`The clock is frozen: \`npx sandbox clock next\` makes the next attempt.`);
    },
  );
});

describe('events resend', () => {
  test.each([
    [{}, EXIT_CODES.done, 'PENDING', ''],
    [
      { wait: true, endpoint: 'bad', timeout: '50ms' },
      EXIT_CODES.timedOut,
      'PENDING',
      'Not every delivery ended in time.',
    ],
    [{ wait: true, endpoint: 'off' }, EXIT_CODES.no, 'FAILED', ''],
    [{ wait: true, endpoint: 'good' }, EXIT_CODES.done, 'DELIVERED', ''],
  ])('waits and prints the deliveries like trigger: %j', async (options, expected, status, note) => {
    await using sandbox = await cliSandbox();
    const names = ['good', 'off', 'bad'] as const;
    const ids = names.map((name) => {
      const [schedule, reply] = [name === 'off' ? 'off' : 'real', name === 'good' ? 200 : 500] as const;
      return listenTo(sandbox.server.sandbox, { name, schedule, status: () => reply }).endpoint.id;
    });
    const triggered = await sandbox.run('trigger', { args: ['pix.settled'], json: true });
    const given = { args: ['latest'], options };
    const { exitCode, stdout, stderr } = await sandbox.run('events resend', given);
    expect(exitCode).toBe(expected);
    expect(stdout).toMatch(new RegExp(`^pix.settled  evt_.*\n(?:  .*\n)*  ${status}  `));
    expect(stderr).toContain(note);
    const resent = await sandbox.run('events resend', { args: ['latest'], json: true });
    const { events } = JSON.parse(triggered.stdout) as { readonly events: unknown };
    const deliveries = ids.map((id) => ({ endpoint_id: id }));
    expect(JSON.parse(resent.stdout)).toMatchObject({ reached: true, events, deliveries });
  });

  test('names what nothing receives, like trigger', async () => {
    await using sandbox = await cliSandbox();
    await run(sandbox, 'pix.settled');
    const { stderr, exitCode } = await sandbox.run('events resend', {
      args: ['latest'],
      options: { wait: true },
    });
    expect(stderr).toMatch(/^No endpoint or listener receives this event\.\nhint {2}To deliver/);
    expect(exitCode).toBe(EXIT_CODES.no);
  });
});

/** A burst against a sandbox, and how far it said that it was. */
async function bench(wanted: Partial<TriggerBurst> = {}) {
  const sandbox = await cliSandbox();
  const client = createSocketClient({ url: sandbox.server.url });
  onTestFinished(async () => {
    client.close();
    await sandbox[Symbol.asyncDispose]();
  });
  const progress: number[] = [];
  const burst: TriggerBurst = {
    body: { type: 'pix.settled' },
    count: 1,
    rate: undefined,
    until: 'ended',
    timeout: parseDurationOption('10s', 'timeout'),
    signal: new AbortController().signal,
    onProgress: (made) => progress.push(made),
    ...wanted,
  };
  return { sandbox: sandbox.server.sandbox, burst, progress, run: () => runBurst(client, burst) };
}

describe('a burst', () => {
  test('creates all concurrent deliveries in one request', async () => {
    const { sandbox, run } = await bench({ count: 40 });
    const listener = new TestListener(sandbox);
    const { reached, events, deliveries } = await run();
    expect(reached).toBe(true);
    expect([events.length, deliveries.length, listener.received.length]).toEqual([40, 40, 40]);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['DELIVERED']));
  });

  test('creates as many as requested at a rate, none of them faster', async () => {
    const { sandbox, progress, run } = await bench({ count: 12, rate: 40 });
    listenTo(sandbox);
    const startedAt = performance.now();
    const { reached, events, deliveries } = await run();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual((11 / 40) * 1_000);
    expect([reached, events.length]).toEqual([true, 12]);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'DELIVERED'));
    expect(progress.at(-1)).toBe(12);
    expect(progress.length).toBeGreaterThan(1);
  });

  test('counts triggers at a rate, of which a late one creates two events', async () => {
    const { sandbox, progress, run } = await bench({
      body: { type: 'pix.settled', late: true },
      count: 3,
      rate: 1_000,
    });
    const { events } = await run();
    expect(events).toHaveLength(6);
    expect(sandbox.world.charges.rows).toHaveLength(3);
    expect(progress.at(-1)).toBe(3);
  });

  test('waits at a rate for more deliveries than fit into one request', async () => {
    const asked: number[] = [];
    const deliveries = Array.from({ length: LIMITS.triggerCount + 1 }, (_, index) => ({ id: String(index) }));
    const post = async (path: string, { body: { ids = [] } }: { body: { ids?: readonly string[] } }) => {
      if (path === 'trigger') return { events: [{}], deliveries };
      asked.push(ids.length);
      return { reached: true, deliveries: ids };
    };
    const { burst } = await bench({ rate: 1 });
    const { reached, deliveries: waited } = await runBurst({ post } as unknown as ControlClient, burst);
    expect([reached, waited.length, asked]).toEqual([true, deliveries.length, [LIMITS.triggerCount, 1]]);
  });

  test.for([undefined, 100])('reports that it did not end in time (rate %s)', async (rate) => {
    const { sandbox, run } = await bench({ count: 2, rate, timeout: parseDurationOption('50ms', 'timeout') });
    listenTo(sandbox, { status: () => 500 });
    const { reached, deliveries } = await run();
    expect(reached).toBe(false);
    expect(deliveries).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }]);
  });

  test('waits only for its own deliveries', async () => {
    const { sandbox, run } = await bench({ count: 2, rate: 100, until: 'attempted' });
    const silent = new TestListener(sandbox, { name: 'silent', status: () => undefined });
    settle(sandbox);
    sandbox.dispatch({ type: 'listener.lose', endpointId: silent.endpoint.id });
    expect((await run()).reached).toBe(true);
  });

  test('rejects when it is stopped', async () => {
    const stopping = new AbortController();
    const { sandbox, run } = await bench({ count: 1_000, rate: 10, signal: stopping.signal });
    listenTo(sandbox);
    const work = run();
    stopping.abort();
    await expect(work).rejects.toThrow('abort');
    expect(sandbox.world.events.rows.length).toBeLessThan(10);
  });
});

describe('the prompts of trigger', () => {
  test('the prompts of trigger ask only for the event in an empty sandbox', async () => {
    await using sandbox = await cliSandbox();
    const { asked, command } = await askedIn(sandbox, 'trigger', ['withdrawal.settled']);
    expect(asked).toEqual([{ question: 'Which event?', offered: [...EVENT_TYPES] }]);
    expect(command).toBe('$ npx sandbox trigger withdrawal.settled');
  });

  test('the prompts of trigger offer a new charge first, and then possible existing ones', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['one', 'two']) await sandbox.run('charges create', { options: { code } });
    await sandbox.run('charges expire', { args: ['one'] });
    const { asked, command, args, options } = await askedIn(sandbox, 'trigger', [
      'pix.settled',
      'one  100.00  EXPIRED',
    ]);
    expect(asked[1]).toEqual({
      question: 'For which charge?',
      offered: ['a new charge', 'two  100.00  PENDING', 'one  100.00  EXPIRED'],
    });
    expect(command).toBe('$ npx sandbox trigger pix.settled --charge one');
    await sandbox.run('trigger', { args, options });
    const again = await askedIn(sandbox, 'trigger', ['pix.expired', 'a new charge']);
    expect(again.command).toBe('$ npx sandbox trigger pix.expired');
  });

  test.each([
    [{ charge: 'one' }, 3],
    [{ withdrawal: 'one' }, 2],
    [{ late: true }, 1],
    [{ amount: '5.00' }, 5],
    [{ count: '3' }, 5],
  ])('the prompts of trigger with %j offer matching ones, and ask no more', async (options, count) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    const [event = ''] = 'withdrawal' in options ? ['withdrawal.failed'] : ['pix.settled'];
    const answers = 'late' in options ? [event, 'a new charge'] : [event];
    const { asked } = await askedIn(sandbox, 'trigger', answers, { options });
    expect(asked[0]?.offered).toHaveLength(count);
  });

  test('the prompts of trigger report first that no sandbox is running', async () => {
    const env = { SANDBOX_URL: 'http://127.0.0.1:9' };
    const withParentEntry = completed('trigger', ['pix.settled'], {}, { env });
    await expect(withParentEntry).rejects.toThrow(/Nothing responds/);
  });
});

test.each<[number[], number, number | undefined]>([
  [[], 50, undefined],
  [[7], 0, 7],
  [[7], 99, 7],
  [[3, 1, 2], 50, 2],
  [[1, 2, 3, 4], 50, 2],
  [[1, 2, 3, 4], 51, 3],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 95, 10],
  [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 90, 9],
  [[1, 2], 100, 2],
])('the percentile of %j at %i is %s', (numbers, percent, expected) => {
  const before = [...numbers];
  expect(computePercentile(numbers, percent)).toBe(expected);
  expect(numbers).toEqual(before);
});
