import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/index.js';
import type { SandboxMatchers } from '../../src/testing/index.js';
import { createReceiver, matchers } from '../../src/testing/index.js';

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
  test('holds for what was handled', async () => {
    const { sandbox, receiver } = await stage();
    await using _sandbox = sandbox;
    expect(receiver).toHaveReceived('pix.settled');
    expect(receiver).toHaveReceived('pix.settled', { code: 'order-1', amount: '12.34' }, { times: 1 });
    expect(receiver).not.toHaveReceived('pix.settled', { code: 'order-2' });
    expect(receiver).not.toHaveReceived('pix.failed');
    expect(() => expect(receiver).toHaveReceived('pix.failed')).toThrow(
      /at least 1 pix.failed; got 0. What came/,
    );
    expect(() => expect(receiver).not.toHaveReceived('pix.settled')).toThrow('Expected not at least 1');
    expect(() => expect(sandbox).toHaveReceived('pix.settled')).toThrow('takes a receiver');
  });
});

describe('toHaveDelivered', () => {
  test('holds for what the receiver accepted', async () => {
    const { sandbox, receiver } = await stage();
    await using _sandbox = sandbox;
    await expect(sandbox).toHaveDelivered('pix.settled', { code: 'order-1', times: 1 });
    await expect(sandbox).not.toHaveDelivered('pix.settled', { code: 'order-2' });
    await expect(expect(sandbox).toHaveDelivered('pix.failed')).rejects.toThrow(
      'got 0 of 1 events.\n  PENDING after 1 attempts: HTTP_STATUS',
    );
    await expect(expect(receiver).toHaveDelivered('pix.failed')).rejects.toThrow('takes a sandbox');
  });
});

describe('toHaveReceivedCall', () => {
  test('holds for what was called', async () => {
    const { sandbox } = await stage();
    await using _sandbox = sandbox;
    await sandbox.fetch('/api/public/v1/pix', { method: 'POST' });
    await expect(sandbox).toHaveReceivedCall({ method: 'POST', status: 401 });
    await expect(sandbox).not.toHaveReceivedCall({ method: 'GET' });
    await expect(expect(sandbox).toHaveReceivedCall({ method: 'GET' })).rejects.toThrow(
      'Expected at least 1 call',
    );
  });
});
