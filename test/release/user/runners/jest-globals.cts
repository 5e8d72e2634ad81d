import 'pix-sandbox/testing/jest';
import type { TestSandbox } from 'pix-sandbox';
import type { Receiver } from 'pix-sandbox/testing';

export async function typed(sandbox: TestSandbox, receiver: Receiver): Promise<void> {
  expect(receiver).toHaveReceived('pix.settled', { amount: '10.00' }, { times: 1 });
  await expect(sandbox).not.toHaveDelivered('pix.settled', { code: 'order-1' });
  await expect(sandbox).toHaveReceivedCall({ method: 'POST' });
  // @ts-expect-error: no such type of event.
  expect(receiver).toHaveReceived('pix.paid');
}
