import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { describeStateChange } from '../../../src/sandbox/timeline/entry-content.js';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { createWebhookSecret } from '../../../src/sandbox/credentials.js';
import { commandNamed, fakeIo, type FakeIoOptions } from '../../helpers/cli/cli-io.js';
import {
  advance,
  cliSandbox,
  settleFor,
  settledFor,
  trigger,
  type CliSandbox,
} from '../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

const logs = await commandNamed('logs');
const HOUR_MS = 3_600_000;
const OPTIONS = {
  policy: { routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]), allowLocalEndpoints: true },
};
const URL = 'https://refused.example/a-receiver-with-a-rather-long-address/that-goes-on-and-on';

/** A charge with status paid, a call that is refused, another charge and a jump to its expiry. */
async function busy(sandbox: CliSandbox) {
  const { delivery } = await settledFor(sandbox, URL);
  const { server } = sandbox;
  await server.fetch(new Request(`${server.url}/api/public/v1/withdrawals`), {});
  await sandbox.run('charges create', { options: { code: 'order-2' } });
  await sandbox.run('deliveries pause');
  await advance(sandbox, 25 * HOUR_MS);
  return delivery;
}

/** What is printed, line by line. */
async function lines(sandbox: CliSandbox, args: readonly string[] = [], more: FakeIoOptions = {}) {
  const { stdout } = await sandbox.run('logs', { args, ...more });
  return stdout.trimEnd().split('\n');
}

/** `logs --follow`, which ends with the test. */
function following(
  { server }: CliSandbox,
  options: FakeIoOptions,
  args: readonly string[] = [],
  flags: object = {},
) {
  const { io, stdout, stderr, stop } = fakeIo({ ...options, env: { SANDBOX_URL: server.url } });
  const running = logs.invoke({ io, args, given: { follow: true, ...flags } });
  const ended = running.then(
    () => undefined,
    (error: unknown) => error,
  );
  onTestFinished(async () => {
    stop();
    await ended;
  });
  return { stdout, stderr, stop, running, ended };
}

interface Line {
  readonly type?: string;
  readonly call?: { readonly id: string; readonly path: string };
  readonly seq?: number;
  readonly title?: string;
}

function jsonOf(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('logs', () => {
  test('accepts a filter as words, as an option, and both together', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    await busy(sandbox);
    const count = async (args: string[], options = {}) =>
      (await lines(sandbox, args, { json: true, options } as FakeIoOptions)).length - 1;
    expect(await count(['is:failed'])).toBe(2);
    expect(await count(['is:failed', 'kind:attempt'])).toBe(1);
    expect(await count(['is:failed'], { filter: '-kind:attempt' })).toBe(1);
    expect(await count([], { filter: 'charge:order-2 kind:change' })).toBe(2);
    expect(await count([], { limit: '2' })).toBe(2);
    expect(await count([], { limit: '0' })).toBe(0);
  });
});

describe('logs --follow', () => {
  test('shows each entry once and omits none, whatever happens at its start', async () => {
    await using sandbox = await cliSandbox();
    const { sandbox: inside } = sandbox.server;
    const follower = following(sandbox, { json: true });
    for (let count = 0; count < 200; count += 1) {
      inside.dispatch({ type: 'deliveries.pause' });
      // Lets the follower have its turn, so that what it asks for comes between two entries.
      if (count % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    inside.setRate(0);
    await vi.waitFor(() => expect(follower.stdout()).toContain('clock frozen'));
    follower.stop();
    await follower.ended;
    const [ready, ...entries] = jsonOf(follower.stdout());
    expect(ready).toMatchObject({ type: 'ready' });
    const first = entries[0]?.seq ?? 0;
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => first + index));
    expect(entries.at(-1)?.seq).toBe(inside.timeline.ring.newest);
  });

  test('shows matching entries, and a reset', async () => {
    await using sandbox = await cliSandbox();
    const follower = following(sandbox, { columns: 80 }, ['kind:state']);
    await vi.waitFor(() => expect(follower.stdout()).toContain('started'));
    sandbox.server.sandbox.dispatch({ type: 'deliveries.pause' });
    sandbox.server.sandbox.reset();
    await vi.waitFor(() => expect(follower.stdout()).toContain('reset'));
    expect(follower.stdout()).toBe('01-01 00:00:00  started\n01-01 00:00:00  reset\n');
  });

  test.each([{}, { source: 'all' }])('reports that the sandbox stopped (%j)', async (flags) => {
    await using sandbox = await cliSandbox();
    const follower = following(sandbox, { json: true }, [], flags);
    await vi.waitFor(() => expect(follower.stdout()).toContain('"ready"'));
    await sandbox.server.close(0);
    const error = await rejectionOf(follower.running, CliError);
    expect([error.exitCode, error.message]).toEqual([
      EXIT_CODES.notRunning,
      `Lost the connection to the sandbox at ${sandbox.server.url}.`,
    ]);
  });
});

const WITHDRAWALS = '/api/public/v1/withdrawals';
const ALL = { source: 'all' };
const REAL_MS = Date.parse('2026-01-01T12:34:56Z');
const SOURCE_OPTIONS = {
  realNow: () => REAL_MS,
  policy: { routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]), allowLocalEndpoints: true },
};
const REFUSED_URL = 'https://refused.example/a-receiver-with-a-rather-long-address';

async function call({ server }: CliSandbox, method: string, path: string): Promise<string> {
  const response = await server.fetch(new Request(server.url + path, { method }), {});
  return response.headers.get('x-request-id') ?? '';
}

/** A call that is refused, one that met no route, and an attempt that is refused. */
async function recordTraffic(sandbox: CliSandbox, url = REFUSED_URL): Promise<string> {
  await call(sandbox, 'GET', WITHDRAWALS);
  await call(sandbox, 'POST', '/pix');
  const { sandbox: inside } = sandbox.server;
  settleFor(sandbox, url);
  await inside.attemptsEnded();
  return inside.world.events.rows.at(-1)?.id ?? '';
}

describe('logs --source', () => {
  test.each([
    [{ unmatched: true }, 1],
    [{ status: '4xx', method: 'get' }, 1],
    [{ path: '/api/public/v1/*' }, 1],
    [{ events: 'pix.*' }, 1],
    [{ events: 'withdrawal.*' }, 0],
    [{ endpoint: REFUSED_URL }, 1],
    [{ api: 'api', since: '5m' }, 2],
    [{ failed: true }, 3],
    [{ app: 'default' }, 1],
  ])('%j shows %i', async (options, count) => {
    await using sandbox = await cliSandbox(SOURCE_OPTIONS);
    await recordTraffic(sandbox);
    const { stdout, stderr } = await sandbox.run('logs', { json: true, options });
    expect(jsonOf(stdout)).toHaveLength(count + 1);
    expect(stderr).toBe(count === 0 ? 'No matching API requests or attempts yet.\n' : '');
  });

  test('escapes third-party text on the terminal', async () => {
    await using sandbox = await cliSandbox(SOURCE_OPTIONS);
    const { sandbox: inside } = sandbox.server;
    inside.dispatch({
      type: 'listener.connect',
      appId: inside.world.apps.rows[0]?.id ?? '',
      listener: {
        name: 'hostile',
        events: ['pix.settled'],
        schedule: 'off',
        secret: createWebhookSecret(inside.epoch.drawBytes),
        description: 'mine\u001b[2J\n12:00:00 200 forged',
      },
    });
    trigger(sandbox);
    await inside.attemptsEnded();
    const { stdout } = await sandbox.run('logs', { options: ALL });
    expect(stdout).toContain('→ mine\\x1b[2J 12:00:00 200 forged');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('logs --source --follow', () => {
  test('shows each entry once and omits none, whatever happens at its start', async () => {
    await using sandbox = await cliSandbox(SOURCE_OPTIONS);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await call(sandbox, 'GET', `${WITHDRAWALS}?before=${n}`));
    const follower = following(sandbox, { json: true }, [], ALL);
    for (let n = 0; n < 200; n += 1) {
      ids.push(await call(sandbox, 'GET', `${WITHDRAWALS}?n=${n}`));
      // Lets the follower have its turn, so that what it asks for comes between two calls.
      if (n % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(follower.stdout()).toContain('n=199"'));
    follower.stop();
    await follower.ended;
    const [ready, ...entries] = jsonOf(follower.stdout());
    expect(ready).toEqual({ type: 'ready', url: sandbox.server.url });
    expect(entries.map((entry) => entry.call?.id)).toEqual(ids);
    expect(follower.stderr()).toBe('');
  });

  test('starts with the newest, continues with matching entries, and reports a reset', async () => {
    await using sandbox = await cliSandbox(SOURCE_OPTIONS);
    await recordTraffic(sandbox);
    const follower = following(sandbox, {}, [], { ...ALL, limit: '1', failed: true });
    await vi.waitFor(() => expect(follower.stdout()).toContain('pix.settled'));
    await call(sandbox, 'GET', '/_sandbox/status');
    await call(sandbox, 'GET', '/sdk.js');
    await call(sandbox, 'GET', '/pixx');
    await vi.waitFor(() => expect(follower.stdout()).toContain('/pixx'));
    sandbox.server.sandbox.reset();
    await vi.waitFor(() => expect(follower.stderr()).toBe('The sandbox was reset.\n'));
    const heads = follower.stdout().match(/^12:34:56 .+$/gm);
    expect(heads).toHaveLength(2);
  });
});

describe('trace', () => {
  test('names the scenario or the console that started a history', async () => {
    await using sandbox = await cliSandbox();
    const { server } = sandbox;
    const send = (path: string, sender: string, body: object) =>
      server.fetch(
        new Request(`${server.url}/_sandbox/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-sandbox-sender': sender },
          body: JSON.stringify(body),
        }),
        {},
      );
    await send('charges', 'console', { code: 'order-1' });
    await send('clock/advance', 'scenario late', { by: '25h' });
    const { stdout } = await sandbox.run('trace', { args: ['order-1'], columns: 80 });
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      '           console: charge.create',
      '           └ charge order-1  PENDING',
      '           scenario late: clock moved to 2026-01-02T01:00:00.000Z',
      '      +1d  └ charge order-1 expires',
      '      +1d    └ charge order-1 PENDING  EXPIRED',
      '      +1d      └ pix.expired of order-1',
    ]);
  });

  test.for([
    ['in part', 1],
    ['whole', 0],
  ])('reports an unknown cause if it is %s older than the timeline', async ([, entriesLeft]) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('trigger', { args: ['pix.settled'] });
    const { timeline, world } = sandbox.server.sandbox;
    for (let count = Number(entriesLeft); count < LIMITS.timelineKept; count += 1)
      timeline.note(describeStateChange('saved'), 0, 0);
    const { stdout } = await sandbox.run('trace', { args: [world.events.rows[0]?.id ?? ''], columns: 80 });
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      '           pix.settled of charge-1',
      '',
      'The first step predates the timeline: its cause is unknown.',
    ]);
  });
});
