import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/program/errors.js';
import { type CliSandbox, cliSandbox, register } from '../../../helpers/cli/cli-sandbox.js';
import { listenTo, settle, TestListener } from '../../../helpers/sandbox/sandbox.js';

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
    ['pix.expired', {}, true],
    ['pix.settled', { late: true }, false],
    ['pix.failed', {}, false],
    ['pix.expired', { count: '2' }, false],
    ['withdrawal.failed', {}, false],
  ])('prints the pay page of a charge that can still be paid: %s %o', async (event, options, isShown) => {
    await using sandbox = await cliSandbox();
    const { stdout } = await run(sandbox, event, options);
    const [charge] = sandbox.server.sandbox.world.charges.rows;
    const line = `pay page  ${sandbox.server.url}/pay/${charge?.id}\n`;
    expect(stdout.endsWith(line)).toBe(isShown);
    expect(stdout.includes('pay page')).toBe(isShown);
  });

  test('says which endpoint is disabled when nothing receives it, and how to enable it', async () => {
    await using sandbox = await cliSandbox();
    const client = sandbox.server.sandbox;
    listenTo(client, { name: 'other', events: ['withdrawal.failed'] });
    const { endpoint } = listenTo(client, { name: 'shop' });
    client.dispatch({ type: 'endpoint.disable', endpointId: endpoint.id });
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toBe(
      `No endpoint and no listener receives this event.\nhint  The listener shop is disabled; \`npx sandbox endpoints enable ${endpoint.id}\` enables it.\n`,
    );
    await sandbox.run('endpoints enable', { args: [endpoint.id] });
    expect((await run(sandbox, 'pix.settled')).stdout).toContain('DELIVERED');
  });

  test('says what an endpoint receives instead when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    const { url } = register(sandbox, 'https://shop.example/hooks');
    const { stderr } = await run(sandbox, 'pix.failed');
    expect(stderr).toBe(
      `No endpoint and no listener receives this event.\nhint  The endpoint ${url} receives only pix.settled; \`npx sandbox endpoints create ${url} --events pix.failed\` registers one for pix.failed.\n`,
    );
    listenTo(sandbox.server.sandbox, { name: 'shop', events: ['pix.expired'] });
    const both = await run(sandbox, 'pix.failed');
    expect(both.stderr.split('\n')[1]).toBe(
      'hint  The listener shop receives only pix.expired; its --events, or the setting `events`, has to include pix.failed.',
    );
  });

  test('names the listener that is away when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    new TestListener(sandbox.server.sandbox, { name: 'shop' }).hangUp();
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toContain('The listener shop is away; start `npx sandbox listen --name shop` again.');
  });

  test('does not take the test receiver for a listener of a terminal', async () => {
    await using sandbox = await cliSandbox();
    const { testReceiver } = sandbox.server.sandbox;
    testReceiver.turnOn(200);
    testReceiver.turnOff();
    const { stderr } = await run(sandbox, 'pix.settled');
    expect(stderr).toContain('is away; turn on the test receiver again: v in the terminal of `start`.');
  });
});

describe('trigger --override', () => {
  test('may be given several times, also for metadata', async () => {
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
  test('sums up many deliveries, with latencies', async () => {
    await using sandbox = await cliSandbox();
    let count = 0;
    listenTo(sandbox.server.sandbox, {
      schedule: 'off',
      status: () => ((count += 1) % 5 === 0 ? 500 : 200),
    });
    const { stdout } = await run(sandbox, 'pix.settled', { count: '25' });
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
      '… 25 events in all',
      '20 DELIVERED, 0 PENDING, 5 FAILED',
      'latency of the newest attempts: p50 1 ms, p95 1 ms, p99 1 ms',
    ]);
    expect(stdout.match(/^pix\.settled/gm)).toHaveLength(20);
  });

  test('at a rate shows a bar on a terminal, and none elsewhere', async () => {
    await using sandbox = await cliSandbox();
    const options = { count: '6', rate: '10' };
    const { stderr } = await run(sandbox, 'pix.settled', options, 80);
    expect(stderr).toMatch(/^\[█+·*\] \d of 6$/m);
    const piped = await run(sandbox, 'pix.settled', options);
    expect(piped.stderr).not.toContain('█');
    expect(sandbox.server.sandbox.world.events.rows).toHaveLength(12);
  });

  test('is summed up under --json, too', async () => {
    await using sandbox = await cliSandbox();
    const none = await sandbox.run('trigger', { args: ['pix.settled'], options: { count: '2' }, json: true });
    const nothing = { made: 2, deliveries: 0, delivered: 0, pending: 0, failed: 0, latency_ms: null };
    expect(JSON.parse(none.stdout)).toMatchObject({ summary: nothing });
    let count = 0;
    const status = () => ((count += 1) % 2 === 0 ? 500 : 200);
    listenTo(sandbox.server.sandbox, { schedule: 'off', status });
    const some = await sandbox.runJson('trigger', { args: ['pix.settled'], options: { count: '5' } });
    expect(some).toMatchObject({
      summary: {
        made: 5,
        deliveries: 5,
        delivered: 3,
        pending: 0,
        failed: 2,
        latency_ms: { p50: 1, p95: 1, p99: 1 },
      },
    });
    expect(await sandbox.runJson('trigger', { args: ['pix.settled'] })).not.toHaveProperty('summary');
  });
});

describe('trigger --wait', () => {
  test('is 0 only when every delivery was DELIVERED', async () => {
    await using sandbox = await cliSandbox();
    for (const name of ['a', 'b']) listenTo(sandbox.server.sandbox, { name });
    expect((await run(sandbox, 'pix.settled', { wait: true, count: '3' })).exitCode).toBe(0);
  });

  test('is 1 when one is FAILED', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox, { name: 'good' });
    listenTo(sandbox.server.sandbox, { name: 'bad', schedule: 'off', status: () => 500 });
    const { exitCode, stdout } = await run(sandbox, 'pix.settled', { wait: true });
    expect(exitCode).toBe(EXIT.no);
    expect(stdout).toMatch(/^ {2}FAILED {2}500/m);
  });

  test.for([{}, { count: '2', rate: '100' }])(
    'is 4 when time is up, and says how to go on %j',
    async (more) => {
      await using sandbox = await cliSandbox();
      listenTo(sandbox.server.sandbox, { status: () => 500 });
      const { exitCode, stderr } = await run(sandbox, 'pix.settled', {
        wait: true,
        timeout: '50ms',
        ...more,
      });
      expect(exitCode).toBe(EXIT.timedOut);
      expect(stderr).toContain('clock advance 45h');
    },
  );

  test('waits for what it triggered and for nothing else', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox, { events: ['pix.settled'], status: () => 500 });
    listenTo(sandbox.server.sandbox, { name: 'other', events: ['pix.failed'] });
    settle(sandbox.server.sandbox);
    expect((await run(sandbox, 'pix.failed', { wait: true })).exitCode).toBe(0);
  });
});
