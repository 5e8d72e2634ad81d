import { describe, expect } from 'vitest';
import { MessageReader } from '../../helpers/http/http-events.js';
import type { TestApi } from '../../helpers/http/api-client.js';
import { REFUSED_URL, test } from '../../helpers/http/api-client.js';
import { listenTo } from '../../helpers/sandbox/sandbox.js';

type Json = Readonly<Record<string, unknown>>;

async function bootstrap(api: TestApi): Promise<Json> {
  const { status, body } = await api.control('GET', 'bootstrap');
  expect(status).toBe(200);
  return body;
}

const answerOf = async (api: TestApi, path: string) => (await api.control('GET', path)).body;

describe('bootstrap', () => {
  test('holds what its parts answer, taken in one instant', async ({ api }) => {
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

  test('says where the stream of the timeline goes on without a gap', async ({ api }) => {
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
});
