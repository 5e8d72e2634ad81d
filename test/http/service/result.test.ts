import { describe, expect } from 'vitest';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi, test } from '../../helpers/http/api-client.js';
import { otherOrganization, readResult, sessionIdOf } from '../../helpers/http/identity-client.js';

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

  test('that lapsed is gone at the very instant, or expired by assumption', async ({ api }) => {
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
});

describe('a result that is not to be had', () => {
  test('belongs to nobody or to another organization, which is told apart by nothing', async ({ api }) => {
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
