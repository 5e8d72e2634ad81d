import { beforeEach, describe, expect, test } from 'vitest';
import type { TestApi } from '../../helpers/http/api-client.js';
import { testApi } from '../../helpers/http/api-client.js';

let api: TestApi;

beforeEach(async () => {
  api = await testApi();
  await api.control('POST', 'charges', { code: 'earlier' });
  await api.control('POST', 'state/snapshots', { name: 'one' });
});

/** The real time at which the state was replaced, and what replaced it. */
function replacement() {
  const { ring, worldStartSeq } = api.sandbox.timeline;
  const { realAt, title } = ring.get(worldStartSeq) ?? {};
  return { at: new Date(realAt ?? 0).toISOString(), title };
}

async function settled(code: string) {
  await api.control('POST', 'charges', { code });
  await api.control('POST', `charges/${code}/settle`);
  const [charge, event] = [api.sandbox.world.charges.rows.at(-1), api.sandbox.world.events.rows.at(-1)];
  return { charge: charge?.id ?? '', event: event?.id ?? '' };
}

async function refusedOf(id: string) {
  const { status, body } = await api.control('GET', `trace/${id}`);
  return { status, message: body.error.message, hint: body.error.hint };
}

describe('a trace after the state was replaced', () => {
  test.for([
    ['restored one', (a: TestApi) => a.control('POST', 'state/snapshots/one/restore')],
    ['reset', (a: TestApi) => a.control('POST', 'reset')],
  ] as const)('reports that an id is from before it was %s', async ([title, replace]) => {
    const { charge, event } = await settled('later');
    await replace(api);
    const { at } = replacement();
    for (const id of ['later', charge, event, event.slice(0, 12), charge.slice(0, 8)])
      expect(await refusedOf(id)).toEqual({
        status: 404,
        message: `${id} existed only before the state was replaced at ${at} (${title}).`,
        hint: '`npx sandbox logs` shows earlier entries.',
      });
  });

  test('names the first replacement after the last entry about an id', async () => {
    await settled('later');
    await api.control('POST', 'state/snapshots/one/restore');
    const { at } = replacement();
    await api.control('POST', 'reset');
    expect((await refusedOf('later')).message).toBe(
      `later existed only before the state was replaced at ${at} (restored one).`,
    );
  });

  test('reports that the cause of a restored charge is unknown, and since when', async () => {
    await api.control('POST', 'state/snapshots/one/restore');
    const { body } = await api.control('GET', 'trace/earlier');
    expect(body).toMatchObject({ root: { seq: 0 }, replaced: replacement() });
    await api.control('POST', 'charges', { code: 'new' });
    expect((await api.control('GET', 'trace/new')).body).toMatchObject({ replaced: null });
  });

  test('reports that nothing has happened to a restored session since', async () => {
    const { body } = await api.control('POST', 'kyc/sessions', { customer_type: 'individual' });
    const { id } = body;
    await api.control('POST', 'state/snapshots', { name: 'two' });
    await api.control('POST', 'state/snapshots/two/restore');
    expect((await refusedOf(id)).message).toBe(
      `Nothing has happened to ${id} since the state was replaced at ${replacement().at} (restored two).`,
    );
  });
});
