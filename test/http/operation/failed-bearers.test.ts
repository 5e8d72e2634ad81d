import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { FailedBearers } from '../../../src/http/operation/failed-bearers.js';
import type { Caller } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';
import { publicDoors } from '../../helpers/http/public-doors.js';
import { startSandbox } from '../../helpers/sandbox/sandbox.js';

const { failedBearerDelayMs: FIRST, failedBearerDelayMaxMs: MOST } = LIMITS;
const WRONG: Caller = { token: 'wrong', signingSecret: 'wrong' };

/** Waits that are over at once, as long as they would have been. */
function waits() {
  const waited: number[] = [];
  const waitAfterFailure = (ms: number) => {
    waited.push(ms);
    return Promise.resolve();
  };
  return { waited, waitAfterFailure };
}

function from(address: string, authorization: string | undefined = 'Bearer wrong') {
  const incoming = { socket: { remoteAddress: address } };
  return { env: { incoming }, req: { header: () => authorization } } as unknown as Parameters<
    FailedBearers['held']
  >[0];
}

describe('a wrong bearer', () => {
  test('waits twice as long each time, up to the most, for each address alone', async () => {
    const { waited, waitAfterFailure } = waits();
    const bearers = new FailedBearers(startSandbox(), waitAfterFailure);
    for (let n = 0; n < 2_000; n += 1) await bearers.held(from('192.0.2.1'));
    expect(waited.slice(0, 4)).toEqual([FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]);
    expect(new Set(waited.slice(10))).toEqual(new Set([MOST]));
    await bearers.held(from('192.0.2.2'));
    expect(waited.at(-1)).toBe(FIRST);
  });

  test('is forgotten after a while, and when too many addresses came after it', async () => {
    const { waited, waitAfterFailure } = waits();
    const real = { nowMs: 0 };
    const bearers = new FailedBearers(startSandbox({ realNow: () => real.nowMs }), waitAfterFailure);
    const once = async (address: string) => {
      await bearers.held(from(address));
      return waited.at(-1);
    };
    expect([await once('a'), await once('a')]).toEqual([FIRST, 2 * FIRST]);
    real.nowMs += LIMITS.failedBearerMemoryMs - 1;
    expect(await once('a')).toBe(4 * FIRST);
    real.nowMs += LIMITS.failedBearerMemoryMs;
    expect(await once('a')).toBe(FIRST);
    for (let n = 0; n < LIMITS.failedBearerAddresses; n += 1) await once(`192.0.2.${n}`);
    expect(await once('a')).toBe(FIRST);
  });

  test('waits no longer than the sandbox is open', async () => {
    const sandbox = startSandbox();
    const bearers = new FailedBearers(sandbox);
    const held = bearers.held(from('192.0.2.1'));
    sandbox.close();
    await expect(held).resolves.toBeUndefined();
    await expect(bearers.held(from('192.0.2.1'))).resolves.toBeUndefined();
  });

  test('is one only where something was sent', async () => {
    const { waited, waitAfterFailure } = waits();
    const request = from('192.0.2.1');
    await new FailedBearers(startSandbox(), waitAfterFailure).held({
      ...request,
      req: { header: () => undefined },
    });
    expect(waited).toEqual([]);
  });
});

describe('where others can reach the sandbox', () => {
  test('control, API and identity doors slow wrong bearers down and right ones never', async () => {
    const { waited, waitAfterFailure } = waits();
    const api = await testApi({ controlToken: 'right', waitAfterFailure });
    const bearer = (token: string) => ({ sign: false, headers: { authorization: `Bearer ${token}` } });
    const paths = ['/_sandbox/status', '/api/public/v1/withdrawals', '/api/v1/kyc/sessions/kyc_1/result'];
    for (const [index, path] of paths.entries()) {
      expect((await api.send('GET', path, bearer('wrong'))).status).toBe(401);
      expect(waited).toHaveLength(index + 1);
    }
    expect(waited).toEqual([FIRST, 2 * FIRST, 4 * FIRST]);
    expect((await api.send('GET', '/_sandbox/status', bearer('right'))).status).toBe(200);
    expect((await api.call('GET', '/withdrawals')).status).toBe(200);
    const { kycToken } = api.sandbox.credentials;
    expect((await api.send('GET', paths[2] ?? '', bearer(kycToken))).status).toBe(404);
    expect((await api.call('GET', '/withdrawals', { caller: null })).status).toBe(401);
    expect(waited).toHaveLength(3);
  });

  test('so do the doors behind a tunnel', async () => {
    const { waited, waitAfterFailure } = waits();
    await using doors = await publicDoors({ waitAfterFailure });
    const lines = ['Authorization: Bearer wrong'];
    expect((await doors.ask('GET /api/public/v1/withdrawals', lines)).status).toBe(401);
    expect((await doors.ask('GET /api/v1/kyc/sessions/kyc_1/result', lines)).status).toBe(401);
    expect(waited).toEqual([FIRST, 2 * FIRST]);
  });

  test('and on loopback nothing waits', async () => {
    const { waited, waitAfterFailure } = waits();
    const api = await testApi({ waitAfterFailure });
    expect((await api.call('GET', '/withdrawals', { caller: WRONG })).status).toBe(401);
    expect(waited).toEqual([]);
  });
});
