import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { CommandAnswers } from '../../../helpers/cli/command-answers.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox, register } from '../../../helpers/cli/cli-sandbox.js';
import { listenTo, settle, TestListener } from '../../../helpers/sandbox/sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

type Options = Readonly<Record<string, unknown>>;

function run(sandbox: CliSandbox, event: string, options: Options = {}, columns = 0) {
  return sandbox.run('trigger', { args: [event], options, columns });
}

/** The payload that the listener got last. */
function payload(listener: TestListener): unknown {
  return JSON.parse(listener.bodies().at(-1) ?? 'null');
}

describe('trigger', () => {
  test('says what happened to what, and how its deliveries went', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox);
    const { stdout, stderr, exitCode } = await run(sandbox, 'withdrawal.failed', {
      amount: '25.00',
      reason: 'AC03',
      pixKey: 'a@b.co',
      code: 'payout-7',
      metadata: ['order=7'],
    });
    const [withdrawal] = sandbox.server.sandbox.world.withdrawals.rows;
    expect(withdrawal).toMatchObject({
      reason: 'AC03',
      amountCents: 2_500,
      pixKey: 'a@b.co',
      metadata: { order: '7' },
    });
    expect(stdout).toMatch(/^withdrawal\.failed {2}evt_[0-9a-f]{32} {2}withdrawal payout-7 \(.*\)$/m);
    expect(stdout).toMatch(/^ {2}DELIVERED {2}200 in \d+ ms {2}→ /m);
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  test('moves what exists, by id or code', async () => {
    await using sandbox = await cliSandbox();
    const { sandbox: core } = sandbox.server;
    await run(sandbox, 'pix.expired', { code: 'order-1' });
    const { stdout } = await run(sandbox, 'pix.settled', { charge: 'order-1' });
    expect(stdout).toContain('charge order-1');
    expect(core.world.charges.rows).toMatchObject([{ code: 'order-1', status: 'SETTLED' }]);
    expect(core.world.events.rows.map(({ type }) => type)).toEqual(['pix.expired', 'pix.settled']);
  });

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

  test('lets a charge expire and then be paid', async () => {
    await using sandbox = await cliSandbox();
    await run(sandbox, 'pix.settled', { late: true });
    expect(sandbox.server.sandbox.world.events.rows.map(({ type }) => type)).toEqual([
      'pix.expired',
      'pix.settled',
    ]);
  });

  test('says so when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    const { stderr, exitCode } = await run(sandbox, 'pix.settled');
    expect(stderr).toContain('No endpoint and no listener receives this event.');
    for (const line of [
      'listen --forward-to localhost:3000',
      'start --forward-to localhost:3000',
      'test receiver',
    ]) {
      expect(stderr).toContain(line);
    }
    expect(exitCode).toBe(EXIT.done);
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

  test.for([
    ['pix.setled', {}, 'There is no event pix.setled.', 'Did you mean pix.settled?'],
    ['pix.settled', { count: '0' }, '--count must be a whole number from 1 on; got 0.', undefined],
    ['pix.settled', { rate: 'fast' }, '--rate must be a whole number from 1 on; got fast.', undefined],
    ['pix.settled', { timeout: 'soon' }, '--timeout must be a duration; got soon.', '90s'],
    ['pix.settled', { override: [':=1'] }, '--override takes path=value or path:=json; got :=1.', undefined],
  ] as const)('refuses %s %j', async ([event, options, message, hint]) => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(run(sandbox, event, options), CliError);
    expect([error.exitCode, error.message]).toEqual([EXIT.usage, message]);
    expect(error.hint ?? '').toContain(hint ?? '');
    expect(sandbox.server.sandbox.world.events.rows).toEqual([]);
  });

  test('asks which event when none is named', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(sandbox.run('trigger'), CliError);
    expect(error.message).toContain('pix.settled, pix.failed');
  });
});

describe('trigger --override', () => {
  test.for([
    ['amount=7', '7'],
    ['amount=9.99', '9.99'],
    ['amount=1.00', '1.00'],
    ['amount=true', 'true'],
    ['amount="7"', '"7"'],
    ['amount=a=b', 'a=b'],
    ['amount=', ''],
    ['amount=não', 'não'],
    ['amount:=9.99', 9.99],
    ['amount:="7"', '7'],
    ['amount:=null', null],
    ['amount:= true ', true],
    ['amount:=[1,"a=b"]', [1, 'a=b']],
    ['amount:={"a":{"b":1}}', { a: { b: 1 } }],
  ] as const)('sends %s as %j', async ([text, value]) => {
    await using sandbox = await cliSandbox();
    const listener = new TestListener(sandbox.server.sandbox);
    const { stdout } = await run(sandbox, 'pix.settled', { override: [`data.object.${text}`] });
    expect(payload(listener)).toMatchObject({ data: { object: { amount: value } } });
    expect(stdout).toContain('(payload overridden)');
    expect(sandbox.server.sandbox.world.charges.rows).toMatchObject([{ amountCents: 10_000 }]);
  });

  test.for([
    ['amount', 'takes path=value or path:=json; got data.object.amount.', ''],
    ['amount:=abc', 'takes JSON; got abc.', `data.object.amount:="abc"`],
    ['amount:=', 'takes JSON; got .', 'data.object.amount='],
    ['amount:=12345678901234567890', 'takes a JSON number that can be kept exactly', ''],
    ['amount:=1e999', 'takes a JSON number that can be kept exactly', ''],
  ] as const)('refuses %s', async ([text, message, hint]) => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(
      run(sandbox, 'pix.settled', { override: [`data.object.${text}`] }),
      CliError,
    );
    expect([error.exitCode, error.message]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    expect(error.hint ?? '').toContain(hint);
    expect(sandbox.server.sandbox.world.charges.rows).toEqual([]);
  });

  test('refuses a text that does not fit its field, and suggests :=', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(
      run(sandbox, 'pix.settled', { override: ['schema_version=two'] }),
      SandboxError,
    );
    expect(error.body.message).toBe('schema_version must be a number, as it is in the payload; got "two".');
    expect(error.body.hint).toContain('schema_version:="two"');
    expect(sandbox.server.sandbox.world.charges.rows).toEqual([]);
  });

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

  test('of a path that is not there lists those that are, and makes nothing', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(
      run(sandbox, 'pix.settled', { override: ['data.object.amout=1'] }),
      SandboxError,
    );
    expect(error.status).toBe(400);
    expect(error.body.message).toBe('The payload has no data.object.amout.');
    expect(error.body.hint).toContain('data.object.amount');
    expect(sandbox.server.sandbox.world.charges.rows).toEqual([]);
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

  test('is one object under --json', async () => {
    await using sandbox = await cliSandbox();
    listenTo(sandbox.server.sandbox);
    const body = await sandbox.runJson('trigger', { args: ['pix.failed'], options: { count: '3' } });
    expect(body).toMatchObject({ reached: true, events: [{}, {}, {}], deliveries: [{}, {}, {}] });
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
    expect((await CommandAnswers.read()).problemOf('trigger', JSON.stringify(some))).toBeUndefined();
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

  test('is 1 when nothing receives it', async () => {
    await using sandbox = await cliSandbox();
    expect((await run(sandbox, 'pix.settled', { wait: true })).exitCode).toBe(EXIT.no);
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
