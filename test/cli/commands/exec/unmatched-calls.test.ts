import { describe, expect, test } from 'vitest';
import { UnmatchedCalls } from '../../../../src/cli/commands/exec/findings.js';
import { LIMITS } from '../../../../src/contract/limits.js';
import { chargeBody, testApi } from '../../../helpers/http/api-client.js';

describe('unmatched calls', () => {
  test('are those that met no route, with the nearest one', async () => {
    const api = await testApi();
    const unmatched = new UnmatchedCalls(api.sandbox.calls);
    await api.call('POST', '/pix', { body: chargeBody() });
    await api.call('GET', '/webhook-endpoints/849e0378-bb69-4963-9fcd-10e97bbc2ef9');
    await api.send('GET', '/favicon.ico');
    expect(unmatched.messages()).toEqual([]);
    await api.call('POST', '/charges?trace=1', { body: chargeBody() });
    await api.call('POST', '/charges?trace=2', { body: chargeBody() });
    await api.call('PUT', '/pix');
    await api.send('GET', '/coffee');
    await api.send('POST', '/api/v1/kyc/session');
    await api.open('PUT', '/start');
    expect(unmatched.messages()).toEqual([
      'POST /api/public/v1/charges met nothing (404 NOT_FOUND, 2 times). Did you mean POST /api/public/v1/pix?',
      'PUT /api/public/v1/pix met nothing (405 METHOD_NOT_ALLOWED). Did you mean POST /api/public/v1/pix?',
      'GET /coffee met nothing (404 NOT_FOUND). The paths of this API begin with /api/public/v1.',
      'POST /api/v1/kyc/session met nothing (404 NOT_FOUND). Did you mean POST /api/v1/kyc/sessions?',
      'PUT /start met nothing (405 METHOD_NOT_ALLOWED).',
    ]);
  });

  test('outlive a reset and what the call log drops', async () => {
    const api = await testApi();
    const unmatched = new UnmatchedCalls(api.sandbox.calls);
    await api.call('GET', '/nothing');
    await api.control('POST', 'reset');
    for (let n = 0; n <= LIMITS.callsKept; n += 1) await api.call('GET', '/withdrawals');
    expect(unmatched.messages()).toHaveLength(1);
  });

  test('are kept up to a hundred different ones', async () => {
    const api = await testApi();
    const unmatched = new UnmatchedCalls(api.sandbox.calls);
    for (let n = 0; n < 120; n += 1) await api.call('GET', `/nothing/${n}`);
    expect(unmatched.messages()).toHaveLength(100);
  });

  test('also where a fault answers in the place of the door', async () => {
    const api = await testApi();
    const unmatched = new UnmatchedCalls(api.sandbox.calls);
    await api.control('POST', 'faults', { on: 'call', action: 'status', status: 503 });
    await api.call('GET', '/nothing');
    await api.call('GET', '/withdrawals');
    expect(unmatched.messages()).toEqual([
      expect.stringMatching(/^GET \/api\/public\/v1\/nothing met nothing \(503/),
    ]);
  });
});
