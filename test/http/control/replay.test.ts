import { describe, expect } from 'vitest';
import type { AnswerBody, TestApi } from '../../helpers/http/api-client.js';
import { chargeBody, otherApp, test } from '../../helpers/http/api-client.js';
import { WELL_KNOWN_CREDENTIALS } from '../../../src/sandbox/credentials.js';

const KYC = { authorization: `Bearer ${WELL_KNOWN_CREDENTIALS.kycToken}` };
const SESSIONS = '/api/v1/kyc/sessions';

interface Replayed extends AnswerBody {
  readonly replay_of: string;
  readonly path: string;
  readonly changed: readonly string[];
  readonly request: {
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string;
  };
}

const idOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-request-id') ?? '';

async function replay(api: TestApi, id: string, wish: object = {}): Promise<Replayed> {
  const { status, body } = await api.control('POST', `calls/${id}/replay`, wish);
  if (status !== 200) throw new Error(`Expected an answer; got ${JSON.stringify(body)}`);
  return body as Replayed;
}

async function refusal(api: TestApi, id: string, wish: object = {}) {
  const { sandbox } = api;
  const before = sandbox.calls.count;
  const { status, body } = await api.control('POST', `calls/${id}/replay`, wish);
  expect(sandbox.calls.count).toBe(before);
  return { status, ...body.error };
}

const header = ({ request }: Replayed, name: string) =>
  request.headers.find(([one]) => one.toLowerCase() === name)?.[1];

function createSession(api: TestApi) {
  return api.send('POST', SESSIONS, {
    body: { customerType: 'individual' },
    sign: false,
    headers: { ...KYC, 'idempotency-key': 'attempt-of-maria-0001' },
  });
}

describe('a replayed request', () => {
  test('passes its API with a fresh timestamp, nonce and signature', async ({ api }) => {
    const first = await api.call('POST', '/pix', { body: chargeBody(), headers: { 'x-trace': 'a' } });
    api.real.nowMs += 3_600_000;
    const again = await replay(api, idOf(first));
    expect(again).toMatchObject({ replay_of: idOf(first), status: 200, path: '/api/public/v1/pix' });
    expect(again.id).not.toBe(idOf(first));
    expect(header(again, 'x-timestamp')).toBe(String(api.real.nowMs / 1000));
    expect(again.request.body).toBe(JSON.stringify(chargeBody()));
    expect(header(again, 'x-trace')).toBe('a');
    expect(again.changed).toContain('x-timestamp, x-nonce, x-signature: new');
    expect((await api.control('GET', 'calls')).body.data[0]?.id).toBe(again.id);
  });

  test('a replayed request may have another body or code, without other changes', async ({ api }) => {
    const text = '{ "code": "order-1" ,"amount":"10.00", "account_id":"' + chargeBody()['account_id'] + '"}';
    const first = await api.call('POST', '/pix', { body: text });
    const other = await replay(api, idOf(first), { new_code: true });
    expect(other.status).toBe(201);
    const { code } = JSON.parse(other.request.body) as { code: string };
    expect(code).not.toBe('order-1');
    expect(other.request.body).toBe(text.replace('order-1', code));
    expect(other.changed).toContain(`code: "order-1" -> "${code}"`);
    const edited = await replay(api, idOf(first), { body: text.replace('10.00', '11.00') });
    expect(edited).toMatchObject({ status: 409, error: { code: 'CODE_REUSED' } });
    expect(edited.changed.join()).toContain('body: ');
    const both = await replay(api, idOf(first), { body: text.replace('10.00', '11.00'), new_code: true });
    expect(both.status).toBe(201);
  });

  test('passes the identity API with the credential of the organization and without a signature', async ({
    api,
  }) => {
    const first = await createSession(api);
    const again = await replay(api, idOf(first));
    expect(again).toMatchObject({ status: 200, api: 'identity' });
    expect(header(again, 'x-signature')).toBeUndefined();
    expect(header(again, 'idempotency-key')).toBe('attempt-of-maria-0001');
    const other = await replay(api, idOf(first), { new_code: true });
    expect(other.status).toBe(201);
    expect(header(other, 'idempotency-key')).not.toBe('attempt-of-maria-0001');
    expect(other.changed.join()).toContain('idempotency-key: attempt-of-maria-0001 -> ');
  });

  test('finds the session in its path', async ({ api }) => {
    const { sessionId } = (await createSession(api)).body as unknown as { sessionId: string };
    const result = `${SESSIONS}/${sessionId}/result`;
    const first = await api.send('GET', result, { headers: KYC });
    expect(first.status).toBe(409);
    await api.control('POST', `kyc/sessions/${sessionId}/decide`, { status: 'approved' });
    const again = await replay(api, idOf(first));
    expect(again.status).toBe(200);
    expect(JSON.stringify(again)).not.toContain(sessionId);
  });

  test('passes as another application, and as a named one if none was recognized', async ({ api }) => {
    await otherApp(api, { name: 'shop' });
    const known = await api.call('GET', '/withdrawals');
    const asOther = await replay(api, idOf(known), { app: 'shop' });
    expect(asOther['app_id']).not.toBe(api.sandbox.world.apps.rows[0]?.id);
    expect(asOther.changed).toEqual(['authorization: credential of application shop']);
    const unknown = await api.call('POST', '/pix', { body: chargeBody(), caller: null });
    expect(await refusal(api, idOf(unknown))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await refusal(api, idOf(unknown))).hint).toContain('--app default');
    expect((await replay(api, idOf(unknown), { app: 'default' })).status).toBe(201);
    expect(await refusal(api, idOf(unknown), { app: 'nobody' })).toMatchObject({ status: 404 });
  });

  test('a replayed request is affected by the faults of its API, even those that break the connection', async ({
    api,
  }) => {
    const first = await api.call('POST', '/pix', { body: chargeBody() });
    await api.control('POST', 'faults', { action: 'status', status: 503 });
    expect(await replay(api, idOf(first))).toMatchObject({ status: 503, faults: [{ action: 'status' }] });
    await api.control('DELETE', 'faults');
    await api.control('POST', 'faults', { action: 'lose-response' });
    const lost = await replay(api, idOf(first), { new_code: true });
    expect(lost).toMatchObject({ status: 201, response: null, faults: [{ action: 'lose-response' }] });
    expect(api.sandbox.world.charges.rows).toHaveLength(2);
  });

  test('follows its command, and leads to its changes', async ({ api }) => {
    const first = await api.call('POST', '/pix', { body: chargeBody() });
    const again = await replay(api, idOf(first), { new_code: true });
    const entries = [...api.sandbox.timeline.ring.between()];
    const command = entries.find(({ facts }) => facts.command === 'call.replay');
    expect(command).toMatchObject({ kind: 'command', by: 'control', id: idOf(first), cause: null });
    const call = entries.find(({ id }) => id === again.id);
    expect(call).toMatchObject({ kind: 'call', cause: command?.seq });
    expect(entries.find(({ cause }) => cause === call?.seq)).toMatchObject({
      kind: 'command',
      title: 'charge.create',
    });
  });

  test('omits a header with a hidden value, and reports it', async ({ api }) => {
    const first = await api.call('GET', '/withdrawals', { headers: { cookie: 'a-long-session-cookie=1' } });
    const again = await replay(api, idOf(first));
    expect(header(again, 'cookie')).toBeUndefined();
    expect(again.changed).toContain('cookie: omitted, because the log redacts the value');
  });

  test('passes the guards like any other request', async ({ api }) => {
    const first = await api.call('GET', '/withdrawals', { headers: { 'content-type': 'text/plain' } });
    expect(await refusal(api, idOf(first), { body: '{}' })).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
  });

  test('a replayed request has the host of the sandbox if the original used another', async ({ api }) => {
    const first = await api.call('GET', '/withdrawals', { headers: { host: 'abc.tunnel.example' } });
    const again = await replay(api, idOf(first));
    expect(header(again, 'host')).toBe('sandbox.localhost');
    expect(again.changed).toContain('host: abc.tunnel.example -> sandbox.localhost');
  });
});

describe('a request that is not stored completely', () => {
  test.for([
    ['is too long', { code: 'x'.repeat(20_000) }],
    ['holds a secret', { metadata: { api_token: 'a-secret-of-someone' } }],
  ] as const)(
    'an incomplete request is rejected when its body %s, unless one is provided',
    async ([, fields], { api }) => {
      const first = await api.call('POST', '/pix', { body: chargeBody(fields) });
      const refused = await refusal(api, idOf(first));
      expect(refused).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' });
      expect(refused.hint).toContain('--body');
      expect(
        (await replay(api, idOf(first), { body: JSON.stringify(chargeBody({ code: 'new' })) })).status,
      ).toBe(201);
    },
  );

  test('an incomplete request is rejected when the log hides a part of its path', async ({ api }) => {
    const first = await api.call('GET', '/withdrawals?token=a-secret-of-someone');
    expect(await refusal(api, idOf(first))).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' });
    const session = await api.send('GET', `${SESSIONS}/kyc_${'0'.repeat(40)}/result`, { headers: KYC });
    expect(await refusal(api, idOf(session))).toMatchObject({ status: 409 });
  });

  test('a request to the pages is rejected', async ({ api }) => {
    await api.open('GET', '/session/none', { caller: null });
    const [call] = api.sandbox.calls.newest();
    expect((await refusal(api, call?.requestId ?? '')).message).toBe(
      'This request cannot be resent: the log no longer stores it.',
    );
  });

  test('a replay is rejected as an application without a credential for its API', async ({ api }) => {
    const first = await createSession(api);
    await otherApp(api, { name: 'bare', organization: 'bare', kyc: false });
    expect(await refusal(api, idOf(first), { app: 'bare' })).toMatchObject({
      status: 400,
      message: 'Application bare has no credential for identity verification.',
    });
  });
});
