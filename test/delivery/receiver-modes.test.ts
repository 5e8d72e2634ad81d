import { describe, expect, test } from 'vitest';
import { createHttpSender } from '../../src/delivery/http-attempt.js';
import { RECEIVER_LIMIT_MS, receiverModes, testAuthority } from '../helpers/delivery/receivers.js';

const policy = { routes: new Map<string, string>(), allowLocalEndpoints: true };
const GENEROUS_LIMIT_MS = 10_000;

describe('an attempt at each kind of receiver', () => {
  test.for(Object.entries(receiverModes))('ends as expected: %s', async ([, mode]) => {
    const timeoutMs = mode.slow === true ? RECEIVER_LIMIT_MS : GENEROUS_LIMIT_MS;
    await using receiver = await mode.start(timeoutMs);
    const sender = createHttpSender({ policy, ca: testAuthority });
    const { status, error, detail, bodyError, response, latencyMs } = await sender.send({
      url: receiver.url,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"amount":"10.00"}'),
      timeoutMs,
    });
    expect({ error, status }).toEqual({ error: mode.expect.error, status: mode.expect.status });
    const { bodyFault = false } = mode.expect;
    expect(bodyFault === 'either' ? bodyFault : bodyError !== null).toBe(bodyFault);
    expect(response === null).toBe(status === null);
    expect(status ?? detail).toBeTruthy();
    expect(latencyMs).toBeGreaterThan(0);
    sender.close();
    await receiver.idle();
  });
});
