import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import type { FakeIoOptions } from '../../../helpers/cli/cli-io.js';
import { commandNamed, fakeIo } from '../../../helpers/cli/cli-io.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox, settleFor, trigger } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';
import { newWebhookSecret } from '../../../../src/sandbox/credentials.js';

const logs = await commandNamed('logs');
const WITHDRAWALS = '/api/public/v1/withdrawals';
const ALL = { source: 'all' };
const REAL_MS = Date.parse('2026-01-01T12:34:56Z');
const OPTIONS = {
  realNow: () => REAL_MS,
  policy: { routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]), allowLocalEndpoints: true },
};
const URL = 'https://refused.example/a-receiver-with-a-rather-long-address';

async function call({ server }: CliSandbox, method: string, path: string): Promise<string> {
  const response = await server.fetch(new Request(server.url + path, { method }), {});
  return response.headers.get('x-request-id') ?? '';
}

/** A call that is refused, one that met no route, and an attempt that is refused. */
async function busy(sandbox: CliSandbox, url = URL): Promise<string> {
  await call(sandbox, 'GET', WITHDRAWALS);
  await call(sandbox, 'POST', '/pix');
  const { sandbox: inside } = sandbox.server;
  settleFor(sandbox, url);
  await inside.attemptsEnded();
  return inside.world.events.rows.at(-1)?.id ?? '';
}

interface Line {
  readonly type: string;
  readonly call?: { readonly id: string; readonly path: string };
}

function linesOf(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** `logs --follow`, which leaves when the test is over. */
function following({ server }: CliSandbox, options: FakeIoOptions, flags: Record<string, unknown> = {}) {
  const { io, stdout, stderr, stop } = fakeIo({ ...options, env: { SANDBOX_URL: server.url } });
  const running = logs.invoke({ io, args: [], given: { follow: true, ...ALL, ...flags } });
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

describe('logs --source', () => {
  test('shows calls and attempts with what is to be said about them', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    const event = await busy(sandbox);
    const { stdout, stderr } = await sandbox.run('logs', { columns: 200, options: ALL });
    expect([stderr, stdout.trimEnd().split('\n')]).toEqual([
      '',
      [
        `12:34:56 401 GET ${WITHDRAWALS} UNAUTHENTICATED`,
        '         The header Authorization: Bearer <token> is required.',
        '         hint `npx sandbox env` prints the token as SANDBOX_TOKEN.',
        '12:34:56 404 POST /pix NOT_FOUND (no route)',
        '         There is no POST /pix.',
        '         hint Did you mean POST /api/public/v1/pix?',
        expect.stringMatching(
          new RegExp(
            `^12:34:56 ERR pix.settled of charge-1 → ${URL} {2}\\d+ ms {2}attempt 1 of 8 {2}${event}$`,
          ),
        ),
        expect.stringMatching(
          /^ {9}CONNECTION_REFUSED: Nothing listens at the address\. \(connect ECONNREFUSED 127\.0\.0\.1:1\)$/,
        ),
      ],
    ]);
  });

  test('says how to go on after the last attempt', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    await busy(sandbox);
    const { sandbox: inside } = sandbox.server;
    await inside.travel.advanceTo(inside.clock.now() + 2 * 86_400_000);
    const { stdout } = await sandbox.run('logs', { options: { failed: true, source: 'deliveries' } });
    const [delivery] = inside.world.deliveries.rows;
    expect(stdout.match(/attempt \d of 8/g)).toHaveLength(8);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `         the last one: npx sandbox deliveries retry ${delivery?.id}`,
    );
    expect(stdout.match(/the last one/g)).toHaveLength(1);
  });

  test('begins with a line that says it is ready under --json', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    await busy(sandbox);
    const { stdout, stderr } = await sandbox.run('logs', { json: true, options: { ...ALL, limit: '2' } });
    expect(stderr).toBe('');
    expect(linesOf(stdout)).toMatchObject([
      { type: 'ready', url: sandbox.server.url },
      { type: 'call', call: { path: '/pix', matched: false } },
      { type: 'attempt', event_type: 'pix.settled', attempt: 1, error: 'CONNECTION_REFUSED' },
    ]);
    const none = await sandbox.run('logs', { json: true, options: { ...ALL, limit: '0' } });
    expect(linesOf(none.stdout)).toHaveLength(1);
  });

  test.each([
    [{ unmatched: true }, 1],
    [{ status: '4xx', method: 'get' }, 1],
    [{ path: '/api/public/v1/*' }, 1],
    [{ events: 'pix.*' }, 1],
    [{ events: 'withdrawal.*' }, 0],
    [{ endpoint: URL }, 1],
    [{ door: 'api', since: '5m' }, 2],
    [{ failed: true }, 3],
    [{ app: 'default' }, 1],
  ])('%j shows %i', async (options, count) => {
    await using sandbox = await cliSandbox(OPTIONS);
    await busy(sandbox);
    const { stdout, stderr } = await sandbox.run('logs', { json: true, options });
    expect(linesOf(stdout)).toHaveLength(count + 1);
    expect(stderr).toBe(count === 0 ? 'No matching calls or attempts yet.\n' : '');
  });

  test.each([
    [{ source: 'cals' }, 'There is no source cals.', 'Did you mean calls?'],
    [{ door: 'control' }, 'There is no door control.', 'Known: api, identity, hosted.'],
    [{ events: 'pix.setled' }, 'There is no event pix.setled.', 'pix.settled'],
    [{ limit: '-1' }, '--limit must be a whole number from 0 to 2000; got -1.', ''],
    [{ limit: '2001' }, '--limit must be', ''],
    [{ since: 'soon' }, '--since must be a duration; got soon.', '5m'],
  ])('%j is a usage error', async (options, message, hint) => {
    await using sandbox = await cliSandbox(OPTIONS);
    const error = await rejectionOf(sandbox.run('logs', { options }), CliError);
    expect([error.exitCode, error.message]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    expect(error.hint ?? '').toContain(hint);
  });

  test('lets no text of others do anything to the terminal', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    const { sandbox: inside } = sandbox.server;
    inside.dispatch({
      type: 'listener.connect',
      appId: inside.world.apps.rows[0]?.id ?? '',
      listener: {
        name: 'hostile',
        events: ['pix.settled'],
        schedule: 'off',
        secret: newWebhookSecret(inside.drawBytes),
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
  test('shows each entry once and leaves none out, whatever happens while it begins', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await call(sandbox, 'GET', `${WITHDRAWALS}?before=${n}`));
    const follower = following(sandbox, { json: true });
    for (let n = 0; n < 200; n += 1) {
      ids.push(await call(sandbox, 'GET', `${WITHDRAWALS}?n=${n}`));
      // Lets the follower have its turn, so that what it asks for comes between two calls.
      if (n % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(follower.stdout()).toContain('n=199"'));
    follower.stop();
    await follower.ended;
    const [ready, ...entries] = linesOf(follower.stdout());
    expect(ready).toEqual({ type: 'ready', url: sandbox.server.url });
    expect(entries.map((entry) => entry.call?.id)).toEqual(ids);
    expect(follower.stderr()).toBe('');
  });

  test('begins with the newest, goes on with what fits, and tells of a reset', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    await busy(sandbox);
    const follower = following(sandbox, {}, { limit: '1', failed: true });
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

  test('says when the sandbox goes away', async () => {
    await using sandbox = await cliSandbox(OPTIONS);
    const follower = following(sandbox, { json: true });
    await vi.waitFor(() => expect(follower.stdout()).toContain('ready'));
    await sandbox.server.close(0);
    const error = await rejectionOf(follower.running, CliError);
    expect([error.exitCode, error.message]).toEqual([
      EXIT.notRunning,
      `The sandbox at ${sandbox.server.url} went away.`,
    ]);
  });
});
