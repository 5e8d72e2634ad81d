import { describe, expect, test } from 'vitest';
import { createHttpSender } from '../../src/delivery/http-attempt.js';
import { RECEIVER_LIMIT_MS, receiverModes, testAuthority } from '../helpers/receivers.js';

const policy = { routes: new Map<string, string>(), allowLocalEndpoints: true };

describe('an attempt at a receiver that behaves like this', () => {
  test.for(Object.entries(receiverModes))('%s', async ([, mode]) => {
    const limitMs = mode.slow === true ? RECEIVER_LIMIT_MS : 5_000;
    await using receiver = await mode.start(limitMs);
    const sender = createHttpSender({ policy, ca: testAuthority });
    const result = await sender.send({
      url: receiver.url,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{}'),
      timeoutMs: limitMs,
    });
    console.log(JSON.stringify({ ...result, response: undefined }));
    sender.close();
    expect({ error: result.error, status: result.status }).toEqual({
      error: mode.expect.error,
      status: mode.expect.status,
    });
    expect(result.bodyError !== null).toBe(mode.expect.bodyFault ?? false);
    expect(result.response === null).toBe(result.status === null);
  });
});
