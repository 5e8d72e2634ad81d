import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/index.js';
import type { SandboxMatchers } from '../../../src/testing/index.js';
import { createReceiver, matchers } from '../../../src/testing/index.js';

declare module 'vitest' {
  interface Matchers<T> extends SandboxMatchers<T> {}
}

expect.extend(matchers);

async function stage() {
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  const receiver = createReceiver({
    secret: sandbox.env.SANDBOX_WEBHOOK_SECRET ?? '',
    onEvent: ({ type }) => {
      if (type === 'pix.failed') throw new Error('not today');
    },
  });
  sandbox.forwardTo(receiver);
  await sandbox.charges.create({ code: 'order-1', amount: '12.34' });
  await sandbox.charges.settle('order-1');
  await sandbox.trigger('pix.failed');
  await sandbox.idle();
  return { sandbox, receiver };
}

describe('toHaveReceived', () => {
  test('passes for a handled event', async () => {
    const { sandbox, receiver } = await stage();
    await using _sandbox = sandbox;
    expect(receiver).toHaveReceived('pix.settled');
    expect(receiver).toHaveReceived('pix.settled', { code: 'order-1', amount: '12.34' }, { times: 1 });
    expect(receiver).not.toHaveReceived('pix.settled', { code: 'order-2' });
    const { fees } = await sandbox.charges.get('order-1');
    expect(receiver).toHaveReceived('pix.settled', { fees, metadata: {} });
    expect(receiver).not.toHaveReceived('pix.settled', { fees: { ...fees, net_amount: '0.00' } });
    expect(receiver).not.toHaveReceived('pix.settled', { fees: { ...fees, more: '0.00' } });
    expect(receiver).not.toHaveReceived('pix.settled', { metadata: [] });
    expect(receiver).not.toHaveReceived('pix.failed');
    expect(() => expect(receiver).toHaveReceived('pix.failed')).toThrow(
      /at least 1 pix.failed; got 0. Received/,
    );
    expect(() => expect(receiver).not.toHaveReceived('pix.settled')).toThrow('Expected not at least 1');
    expect(() => expect(receiver).toHaveReceived('pix.settled', { fees: {} })).toThrow(
      `with ${JSON.stringify({ fees })}\n`,
    );
    const [id, failedId] = receiver.arrivals.map(({ headers }) => headers['webhook-id']);
    expect(() =>
      expect(receiver).toHaveReceived('pix.settled', { code: 'order-2', amount: '12.34' }),
    ).toThrow(
      `got 0. Received:\n  200 ${id} pix.settled of order-1, with {"code":"order-1","amount":"12.34"}\n  500 ${failedId} pix.failed of charge-2 not today`,
    );
    expect(() => expect(sandbox).toHaveReceived('pix.settled')).toThrow('expects a receiver');
  });
});

test('compares fields of another realm, as in Jest’s `response.json()`, by their values', async () => {
  const { sandbox, receiver } = await stage();
  await using _sandbox = sandbox;
  const { fees } = await sandbox.charges.get('order-1');
  const foreign: unknown = runInNewContext(`(${JSON.stringify(fees)})`);
  expect(receiver).toHaveReceived('pix.settled', { fees: foreign });
});

describe('toHaveDelivered', () => {
  test('passes for an accepted delivery', async () => {
    const { sandbox, receiver } = await stage();
    await using _sandbox = sandbox;
    await expect(sandbox).toHaveDelivered('pix.settled', { code: 'order-1', times: 1 });
    await expect(sandbox).not.toHaveDelivered('pix.settled', { code: 'order-2' });
    await expect(expect(sandbox).toHaveDelivered('pix.failed')).rejects.toThrow(
      'got 0 of 1 events.\n  PENDING after 1 attempts: HTTP_STATUS 500 {"message":"not today"}\nExisting events, newest first:\n  pix.failed of charge-2: PENDING\n  pix.settled of order-1: DELIVERED',
    );
    await expect(expect(sandbox).toHaveDelivered('pix.settled', { code: 'order-2' })).rejects.toThrow(
      'delivered pix.settled of order-2; got 0 of 0 events.\nExisting events, newest first:\n  pix.failed of charge-2',
    );
    await expect(expect(sandbox).toHaveDelivered('pix.settled', { times: 2 })).rejects.toThrow(
      'Expected 2 delivered pix.settled; got 1 of 1 events.\nExisting events',
    );
    await expect(expect(receiver).toHaveDelivered('pix.failed')).rejects.toThrow('expects a sandbox');
  });
});

describe('a failing toHaveDelivered', () => {
  test('reports that nothing happened, or that nothing receives it', async () => {
    await using sandbox = await createSandbox({ port: false });
    await expect(expect(sandbox).toHaveDelivered('pix.failed')).rejects.toThrow(
      'got 0 of 0 events.\nNo events occurred.',
    );
    await sandbox.trigger('pix.failed');
    await expect(expect(sandbox).toHaveDelivered('pix.failed')).rejects.toThrow(
      'got 0 of 1 events.\nExisting events, newest first:\n  pix.failed of charge-1: no endpoint receives it',
    );
  });

  test('shows the start of a long response on one line, and five events', async () => {
    await using sandbox = await createSandbox({ port: false });
    const answer = `first\n\u001b[2Jsecond ${'x'.repeat(5000)}`;
    sandbox.forwardTo({ fetch: () => new Response(answer, { status: 503 }) });
    for (let count = 0; count < 7; count += 1) await sandbox.trigger('pix.expired');
    const failed = await expect(sandbox)
      .toHaveDelivered('pix.expired')
      .then(
        () => '',
        (error: Error) => error.message,
      );
    const lines = failed.split('\n');
    expect(lines.filter((line) => /HTTP_STATUS 503 first \[2Jsecond x{100,250}…$/.test(line))).toHaveLength(
      5,
    );
    expect(lines.filter((line) => line.startsWith('  pix.expired of '))).toHaveLength(5);
    expect(lines.filter((line) => line === '  … 2 more')).toHaveLength(2);
    expect(failed).not.toContain('\u001b');
  });
});

describe('toHaveReceivedCall', () => {
  test('passes for a received request', async () => {
    const { sandbox } = await stage();
    await using _sandbox = sandbox;
    await sandbox.fetch('/api/public/v1/pix', { method: 'POST' });
    await expect(sandbox).toHaveReceivedCall({ method: 'POST', status: 401 });
    await expect(sandbox).not.toHaveReceivedCall({ method: 'GET' });
    await expect(expect(sandbox).toHaveReceivedCall({ method: 'GET' })).rejects.toThrow(
      'Expected at least 1 request',
    );
    await expect(
      expect(sandbox).toHaveReceivedCall({ method: 'GET', path: '/api/public/v1/withdrawals' }),
    ).rejects.toThrow(/got 0\.\nReceived, newest first:\n {2}POST \/api\/public\/v1\/pix → 401 /);
  });
});
