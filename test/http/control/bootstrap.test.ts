import { describe, expect, test } from 'vitest';
import { MessageReader } from '../../helpers/http/http-events.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { REFUSED_URL, testApi } from '../../helpers/http/api-client.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';

type Json = Readonly<Record<string, unknown>>;

async function bootstrap(api: TestApi): Promise<Json> {
  const { status, body } = await api.control('GET', 'bootstrap');
  expect(status).toBe(200);
  return body;
}

const answerOf = async (api: TestApi, path: string) => (await api.control('GET', path)).body;

describe('bootstrap', () => {
  test('holds what its parts answer, taken in one instant', async () => {
    const api = await testApi();
    listenTo(api.sandbox, { status: () => 500 });
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    for (let count = 0; count < 27; count += 1) await api.control('POST', 'trigger', { type: 'pix.settled' });
    await api.control('POST', 'withdrawals');
    await api.control('POST', 'faults', { action: 'slow', delay: '1s' });
    await api.control('POST', 'state/snapshots', { name: 'before' });
    await api.sandbox.idle();
    const shown = await bootstrap(api);
    expect(shown).toMatchObject({
      status: await answerOf(api, 'status'),
      charges: await answerOf(api, 'charges'),
      withdrawals: await answerOf(api, 'withdrawals'),
      deliveries: await answerOf(api, 'deliveries'),
      agenda: await answerOf(api, 'agenda'),
      timeline: await answerOf(api, 'timeline'),
      faults: (await answerOf(api, 'faults'))['data'],
      snapshots: (await answerOf(api, 'state/snapshots'))['data'],
      version: (await answerOf(api, 'status'))['version'],
      run: api.sandbox.timeline.run,
      seq: api.sandbox.timeline.ring.newest,
    });
  });

  test('gives cursors with which its lists go on', async () => {
    const api = await testApi();
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    for (let count = 0; count < 26; count += 1) {
      await api.control('POST', 'trigger', { type: 'pix.settled' });
      await api.control('POST', 'withdrawals');
      await api.control('POST', 'kyc/sessions');
    }
    const shown = await bootstrap(api);
    const paths = {
      charges: 'charges',
      withdrawals: 'withdrawals',
      sessions: 'kyc/sessions',
      deliveries: 'deliveries',
    };
    for (const [name, path] of Object.entries(paths)) {
      const { data, paging } = shown[name] as { data: unknown[]; paging: { after: string } };
      expect(data).toHaveLength(25);
      expect((await api.control('GET', `${path}?after=${paging.after}`)).body.data).toHaveLength(1);
    }
  });

  test('says where the stream of the timeline goes on without a gap', async () => {
    const api = await testApi();
    await api.control('POST', 'charges', { code: 'seen' });
    const { seq, run } = await bootstrap(api);
    await api.control('POST', 'charges', { code: 'next' });
    const stream = await api.open('GET', `/_sandbox/stream/timeline?after=${String(seq)}`, { caller: null });
    const reader = new MessageReader(stream);
    expect(await reader.nextOf('ready')).toMatchObject({ run });
    const went = [await reader.next(), await reader.next()];
    expect(went).toMatchObject([{ seq: Number(seq) + 1 }, { seq: Number(seq) + 2, code: 'next' }]);
    await reader.cancel();
  });

  test('holds no secret, even where a user has put one into a text', async () => {
    const api = await testApi({ controlToken: 'control-token-of-the-sandbox' });
    const auth = { caller: null, headers: { authorization: 'Bearer control-token-of-the-sandbox' } };
    const post = async (path: string, body: object) =>
      (await api.send('POST', `/_sandbox/${path}`, { ...auth, sign: false, body })).body;
    const app = await post('apps', {
      name: 'shop',
      organization: 'shop',
      token: 'a"chosen\\token-of-the-shop',
    });
    const endpoint = await post('endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    await post(`endpoints/${endpoint.id}/disable`, {});
    const session = await post('kyc/sessions', {});
    const { world, credentials } = api.sandbox;
    const listener = listenTo(api.sandbox);
    const secrets = [
      ...world.apps.rows.flatMap(({ token, signingSecret }) => [token, signingSecret]),
      ...world.organizations.rows.map(({ kycToken }) => kycToken ?? ''),
      ...Array.from(world.endpoints.values(), ({ secret }) => secret),
      String(app['kyc_token']),
      credentials.webhookSecret,
      session.id,
      'control-token-of-the-sandbox',
      listener.endpoint.secret,
    ];
    for (const [index, secret] of secrets.entries()) {
      await post('charges', { code: `c${index}`, payer_name: `see ${secret}`, metadata: { note: secret } });
      await api.call('GET', `/withdrawals?after=${encodeURIComponent(secret)}`);
    }
    const answer = await api.open('GET', '/_sandbox/bootstrap', { ...auth, sign: false });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    const texts = [...secrets, ...world.sessions.rows.map(({ formToken }) => formToken)];
    const escaped = texts.map((secret) => JSON.stringify(secret).slice(1, -1));
    expect([...texts, ...escaped].filter((secret) => text.includes(secret))).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      sessions: { data: [{ id: expect.stringMatching(/^kyc_.*…$/) }] },
    });
    await api
      .open('GET', '/_sandbox/bootstrap', { caller: null })
      .then(({ status }) => expect(status).toBe(401));
  });
});
