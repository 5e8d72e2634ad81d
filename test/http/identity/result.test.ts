import { describe, expect, test } from 'vitest';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';
import {
  createSession,
  otherOrganization,
  readResult,
  sessionIdOf,
} from '../../helpers/http/identity-client.js';

const DOCUMENT = '529.982.247-25';

function decide(api: TestApi, sessionId: string, decision: object) {
  return api.control('POST', `kyc/sessions/${sessionId}/decide`, decision);
}

function advance(api: TestApi, by: string) {
  return api.control('POST', 'clock/advance', { by });
}

/** The status of the answer, and what it says: the status of the result or the code of the error. */
async function read(api: TestApi, sessionId: string): Promise<[number, string]> {
  const { status, body } = await readResult(api, sessionId);
  return [status, body.error?.code ?? body.status];
}

describe('the result of a session', () => {
  test.each(SESSION_DECISIONS)(
    'that is %s has its status, and an euid when it is approved',
    async (status) => {
      const api = await testApi();
      const sessionId = await sessionIdOf(api);
      expect(await read(api, sessionId)).toEqual([409, 'NOT_TERMINAL']);
      await decide(api, sessionId, { status, document: DOCUMENT });
      const answer = await readResult(api, sessionId);
      const { euid, ...others } = answer.body;
      expect([answer.status, others]).toEqual([200, { sessionId, status }]);
      expect(/^euid_[0-9a-f]{32}$/.test(euid ?? '')).toBe(status === 'approved');
      expect('euid' in answer.body).toBe(status === 'approved');
    },
  );

  test('of the same person has the same euid', async () => {
    const api = await testApi();
    const euids = [];
    for (const customerType of ['individual', 'individual', 'business']) {
      const { sessionId } = (await createSession(api, { body: { customerType } })).body;
      await decide(api, sessionId, { status: 'approved', document: DOCUMENT });
      euids.push((await readResult(api, sessionId)).body.euid);
    }
    expect(euids[1]).toBe(euids[0]);
    expect(euids[2]).not.toBe(euids[0]);
  });

  test('under review is decided later', async () => {
    const api = await testApi();
    const sessionId = await sessionIdOf(api);
    await decide(api, sessionId, { status: 'under_review' });
    expect(await read(api, sessionId)).toEqual([200, 'under_review']);
    expect((await decide(api, sessionId, { status: 'cancelled' })).body.error.code).toBe(
      'INVALID_TRANSITION',
    );
    await decide(api, sessionId, { status: 'approved', delay: '1h' });
    expect(await read(api, sessionId)).toEqual([200, 'under_review']);
    await advance(api, '1h');
    expect(await read(api, sessionId)).toEqual([200, 'approved']);
  });

  test('that lapsed is gone at the very instant, or expired by assumption', async () => {
    const api = await testApi();
    const expired = await testApi({ assume: { 'session.lapsed_result': '200', 'session.lifetime': '5m' } });
    const [first, second] = [await sessionIdOf(api), await sessionIdOf(expired)];
    await advance(api, '29m59s999ms');
    await advance(expired, '4m59s999ms');
    expect([await read(api, first), await read(expired, second)]).toEqual([
      [409, 'NOT_TERMINAL'],
      [409, 'NOT_TERMINAL'],
    ]);
    await advance(api, '1ms');
    await advance(expired, '1ms');
    expect(await read(api, first)).toEqual([410, 'SESSION_EXPIRED']);
    expect(await read(expired, second)).toEqual([200, 'expired']);
  });

  test('whose page failed is still to come', async () => {
    const api = await testApi();
    const sessionId = await sessionIdOf(api);
    expect((await decide(api, sessionId, { error: 'CAMERA_DENIED' })).body).toMatchObject({
      status: 'CREATED',
      error: 'CAMERA_DENIED',
    });
    expect(await read(api, sessionId)).toEqual([409, 'NOT_TERMINAL']);
  });

  test('is polled with a growing delay and a cap until it can be read', async () => {
    const api = await testApi();
    const sessionId = await sessionIdOf(api);
    await decide(api, sessionId, { status: 'approved', delay: '45s' });
    const asked: { atS: number; status: number }[] = [];
    const begin = api.sandbox.clock.now();
    for (
      let delayS = 1;
      asked.at(-1)?.status !== 200 && asked.length < 20;
      delayS = Math.min(delayS * 2, 10)
    ) {
      await advance(api, `${delayS}s`);
      const { status } = await readResult(api, sessionId);
      asked.push({ atS: (api.sandbox.clock.now() - begin) / 1000, status });
    }
    expect(asked.map(({ atS }) => atS)).toEqual([1, 3, 7, 15, 25, 35, 45]);
    expect(asked.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409, 200]);
  });

  test('comes by itself where every session is decided', async () => {
    const api = await testApi({ kycAuto: { status: 'approved', delayMs: 2_000 } });
    const { body } = await createSession(api);
    expect(body.status).toBe('IN_PROGRESS');
    await advance(api, '1s999ms');
    expect(await read(api, body.sessionId)).toEqual([409, 'NOT_TERMINAL']);
    await advance(api, '1ms');
    expect(await read(api, body.sessionId)).toEqual([200, 'approved']);
  });
});

describe('a result that is not to be had', () => {
  test('belongs to nobody or to another organization, which is told apart by nothing', async () => {
    const api = await testApi();
    const { kycToken } = await otherOrganization(api);
    const sessionId = await sessionIdOf(api);
    const foreign = await readResult(api, sessionId, String(kycToken));
    const unknown = await readResult(api, 'kyc_0000', String(kycToken));
    const shown = ({ status, body }: typeof foreign) => [status, { ...body.error, request_id: '' }];
    expect(shown(foreign)).toEqual(shown(unknown));
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await readResult(api, sessionId.slice(0, 12))).status).toBe(404);
    expect((await readResult(api, sessionId)).status).toBe(409);
  });
});
