import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { exportWorld } from '../../src/core/state/export.js';
import { DAY_MS, HOUR_MS } from '../../src/contract/time.js';
import type { ListenerAttempt } from '../../src/delivery/listener-hub.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { SECRET, settle, startSandbox, TestListener } from '../helpers/sandbox/sandbox.js';
import { START_MS } from '../helpers/core/world.js';

const REAL_MS = Date.UTC(2026, 5, 30, 9, 0, 0, 750);
const SECOND_SECRET = `whsec_${Buffer.from('another secret of 32 bytes .....').toString('base64')}`;

function signatures(attempt: ListenerAttempt | undefined): string[] {
  return attempt?.headers['webhook-signature']?.split(' ') ?? [];
}

describe('an attempt', () => {
  test('an attempt has the headers of §6 and no others', async () => {
    const sandbox = startSandbox({ realNow: () => REAL_MS });
    const listener = new TestListener(sandbox);
    settle(sandbox);
    await sandbox.idle();
    expect(listener.received[0]?.headers).toEqual({
      'webhook-id': sandbox.world.events.rows[0]?.id,
      'webhook-timestamp': String(Math.floor(REAL_MS / 1_000)),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]+=*$/),
      'user-agent': expect.stringMatching(/^PixSandbox-Webhooks\/\d+\.\d+\.\d+/),
      'content-type': 'application/json',
    });
  });

  test('an attempt has the same body each time, and a fresh timestamp and signature', async () => {
    let real = REAL_MS;
    const sandbox = startSandbox({ realNow: () => real });
    const listener = new TestListener(sandbox, {
      status: () => {
        real += 1_000;
        return 500;
      },
    });
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + 45 * HOUR_MS);
    expect(listener.received).toHaveLength(8);
    expect(new Set(listener.bodies()).size).toBe(1);
    expect(new Set(listener.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(listener.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
    expect(new Set(listener.received.flatMap(signatures)).size).toBe(8);
  });

  test('an attempt is stamped with sandbox time by assumption', async () => {
    const sandbox = startSandbox({ realNow: () => REAL_MS, assume: { 'webhook.timestamp': 'sandbox' } });
    const listener = new TestListener(sandbox);
    settle(sandbox);
    await sandbox.idle();
    expect(listener.received[0]?.headers['webhook-timestamp']).toBe(String(START_MS / 1_000));
  });

  test('an attempt is signed with both secrets, newest first, for 24 hours after a rotation', async () => {
    const sandbox = startSandbox({ realNow: () => REAL_MS });
    const listener = new TestListener(sandbox);
    const endpointId = listener.endpoint.id;
    sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret: SECOND_SECRET });
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + DAY_MS - 1);
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + DAY_MS);
    settle(sandbox);
    await sandbox.idle();
    const counts = listener.received.map((attempt) => signatures(attempt).length);
    expect(counts).toEqual([2, 2, 1]);
    const [attempt] = listener.received;
    const only = (secret: string) =>
      new Webhook(secret).sign(
        attempt?.headers['webhook-id'] ?? '',
        new Date(REAL_MS),
        listener.bodies()[0] ?? '',
      );
    expect(signatures(attempt)).toEqual([only(SECOND_SECRET), only(SECRET)]);
  });

  test('an attempt is recorded with its request and its response, until the ring drops it', async () => {
    const sandbox = startSandbox({ realNow: () => REAL_MS });
    const listener = new TestListener(sandbox, { status: () => 503 });
    settle(sandbox);
    await sandbox.idle();
    const record = sandbox.epoch.records.get(sandbox.world.deliveries.rows[0]?.id ?? '', 1);
    expect(record).toMatchObject({ number: 1, realAt: REAL_MS - 1, result: { status: 503 } });
    expect(record?.requestHeaders).toEqual(listener.received[0]?.headers);
  });
});

describe('a seed', () => {
  /** Runs the same commands; `order` says which of the open attempts is answered next. */
  async function run(order: (open: number) => number): Promise<{ sandbox: Sandbox; bodies: string[] }> {
    const sandbox = startSandbox({ seed: '42', realNow: () => REAL_MS });
    const listeners = ['a', 'b', 'c'].map(
      (name) => new TestListener(sandbox, { name, status: () => undefined, schedule: 'fast' }),
    );
    const open = () =>
      listeners.flatMap((listener) =>
        listener.received.slice(answered.get(listener) ?? 0).map((attempt) => ({ listener, attempt })),
      );
    const answered = new Map<TestListener, number>();
    const answerAll = async () => {
      for (let left = open(); left.length > 0; left = open()) {
        const { listener } = left[order(left.length)] ?? left[0] ?? {};
        if (listener === undefined) break;
        const index = answered.get(listener) ?? 0;
        answered.set(listener, index + 1);
        listener.answer(listener.received[index], index % 3 === 2 ? 200 : 500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    for (const event of ['pix.settled', 'withdrawal.failed', 'pix.expired'] as const) {
      sandbox.dispatch({ type: 'trigger', event });
      await answerAll();
      const journey = sandbox.travel.advanceTo(sandbox.clock.now() + 500);
      await new Promise((resolve) => setImmediate(resolve));
      await answerAll();
      await journey;
    }
    return { sandbox, bodies: listeners.flatMap((listener) => listener.bodies().sort()) };
  }

  test('produces the same world and the same bytes, whatever the order of responses', async () => {
    const first = await run(() => 0);
    const last = await run((open) => open - 1);
    expect(exportWorld(last.sandbox.world)).toEqual(exportWorld(first.sandbox.world));
    expect(last.bodies).toEqual(first.bodies);
    expect(first.bodies.length).toBeGreaterThan(9);
  });

  test('produces other ids if it differs, and random ones without it', () => {
    const ids = [{ seed: '42' }, { seed: '43' }, { seed: undefined }, { seed: undefined }].map(
      (options) => startSandbox(options).world.apps.rows[0]?.id,
    );
    expect(new Set(ids).size).toBe(4);
  });
});
