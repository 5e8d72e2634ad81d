import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signatureOf } from '../../../src/console/model/deliveries.js';
import { deliveryView } from '../../../src/http/control/exchanges.js';
import { webhookKey } from '../../../src/signing/webhook.js';
import { deliveryFault } from '../../helpers/core/faults.js';
import { listenTo, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

const SECOND_SECRET = `whsec_${Buffer.from('another secret of 32 bytes .....').toString('base64')}`;
const OTHER = 'another secret';

/**
 * What a person who signs the shown content with the endpoint's secret sees in the header, one word for
 * each signature.
 */
function compared(content: string, header: string | undefined, secrets: readonly string[]): string[] {
  const own = secrets.map(
    (secret) => `v1,${createHmac('sha256', webhookKey(secret)).update(content).digest('base64')}`,
  );
  return (header ?? '').split(' ').map((signature) => String(own.indexOf(signature)).replace('-1', OTHER));
}

test.each([
  ['secret', ['0']],
  ['wrong-signature', [OTHER]],
  ['stale-timestamp', ['0']],
  ['two-signatures', [OTHER, '0']],
  ['rotated', ['0', '1']],
] as const)('an attempt says how it was signed, and what: %s', async (by, signatures) => {
  const sandbox = startSandbox();
  const listener = listenTo(sandbox);
  const { endpoint } = listener;
  const secrets = [endpoint.secret];
  if (by === 'rotated') {
    secrets.unshift(SECOND_SECRET);
    sandbox.dispatch({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: SECOND_SECRET });
  } else if (by !== 'secret') {
    sandbox.dispatch({ type: 'fault.add', fault: deliveryFault(by) });
  }
  settle(sandbox);
  await sandbox.idle();
  const [delivery] = sandbox.world.deliveries.rows;
  const [attempt] = delivery === undefined ? [] : deliveryView(sandbox, delivery).attempt_log;
  if (attempt === undefined) throw new Error('Expected an attempt.');
  const signed = signatureOf(attempt, listener.bodies()[0]);
  expect(signed?.by).toBe(by);
  const header = listener.received[0]?.headers['webhook-signature'];
  expect(compared(signed?.content ?? '', header, secrets)).toEqual(signatures);
  const { request_headers: _, ...notKept } = attempt;
  expect(signatureOf(notKept, '')).toBeUndefined();
});
