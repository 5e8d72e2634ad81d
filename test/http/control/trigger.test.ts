import { describe, expect } from 'vitest';
import type { AnswerBody } from '../../helpers/http/api-client.js';
import { REFUSED_URL, START_MS, testApi, test } from '../../helpers/http/api-client.js';

describe('POST trigger', () => {
  test.for([
    ['pix.settled', 'SETTLED'],
    ['withdrawal.failed', 'FAILED'],
  ])('%s creates a new resource and its event', async ([type, status], { api }) => {
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: [type] });
    const answer = await api.control('POST', 'trigger', { type });
    expect(answer.status).toBe(200);
    const [event] = answer.body.events;
    expect(answer.body.events).toHaveLength(1);
    expect(event).toMatchObject({ type, id: expect.stringMatching(/^evt_/) });
    expect(answer.body.deliveries.map(({ event_id }) => event_id)).toEqual([event?.id]);
    const { code } = (event as AnswerBody).resource as AnswerBody;
    const route = String(type).startsWith('pix') ? 'charges' : 'withdrawals';
    expect((await api.control('GET', `${route}/${code}`)).body.status).toBe(status);
  });

  describe('a burst of triggers', () => {
    /** Resolves in the first turn of the event loop in which there are some events. */
    async function someEvents({ sandbox }: Awaited<ReturnType<typeof testApi>>): Promise<number> {
      while (sandbox.world.events.rows.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return sandbox.world.events.rows.length;
    }

    test('a burst of triggers is delivered while the others are created', async ({ api }) => {
      await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
      const answered = api.control('POST', 'trigger', { type: 'pix.settled', count: 120 });
      expect(await someEvents(api)).toBeLessThan(120);
      expect(api.sandbox.epoch.openAttempts).toBeGreaterThan(0);
      const { body } = await answered;
      expect(body).toMatchObject({ reached: true });
      expect([body.events, body.deliveries].map((rows) => rows.length)).toEqual([120, 120]);
      const { data } = (await api.control('GET', 'timeline?limit=1000')).body;
      const makers = data.filter(({ kind }) => kind === 'event').map(({ by }) => by);
      expect(makers).toEqual(Array.from({ length: 120 }, () => 'control'));
    });

    test('ends with a reset', async ({ api }) => {
      const answered = api.control('POST', 'trigger', { type: 'pix.settled', count: 120 });
      await someEvents(api);
      api.sandbox.reset();
      const { body } = await answered;
      expect(body.reached).toBe(false);
      expect(body.events.length).toBeLessThan(120);
      expect(api.sandbox.world.events.rows).toEqual([]);
    });
  });

  test.for<[string, object, string, string]>([
    [
      'paths',
      { override: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`a${at}`, 1])) },
      'override',
      'Must contain at most 200 paths; got 201.',
    ],
    [
      'text in all events',
      { override: { 'data.object.metadata': { a: 'x'.repeat(9_967) } }, count: 900 },
      'count',
      'count × 10000 characters of override must be at most 8388608; got 9000000.',
    ],
  ])('rejects more overrides than it can write: %s', async ([, fields, field, message], { api }) => {
    const { status, body } = await api.control('POST', 'trigger', { type: 'pix.settled', ...fields });
    expect([status, body.error]).toMatchObject([400, { details: [{ field, message }] }]);
    expect(api.sandbox.world.events.rows).toEqual([]);
  });

  test('returns only its own events, not those that became due meanwhile', async () => {
    let nowMs = START_MS;
    const api = await testApi({ freezeAt: undefined, realNow: () => nowMs });
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.expired', 'pix.settled'] });
    await api.control('POST', 'charges', { code: 'lapses' });
    nowMs += 86_400_000;
    const { body } = await api.control('POST', 'trigger', { type: 'pix.settled' });
    expect(body.events.map(({ type }) => type)).toEqual(['pix.settled']);
    expect(body.deliveries.map(({ event_type }) => event_type)).toEqual(['pix.settled']);
    expect((await api.control('GET', 'charges/lapses')).body.status).toBe('EXPIRED');
  });

  test('POST trigger can wait for the first attempts, and for the end', async ({ api }) => {
    await api.control('POST', 'endpoints', { url: REFUSED_URL, events: ['pix.settled'] });
    const first = await api.control('POST', 'trigger', { type: 'pix.settled', until: 'attempted' });
    expect(first.body.reached).toBe(true);
    expect(first.body.deliveries[0]).toMatchObject({ attempts: 1, last_error: 'CONNECTION_REFUSED' });
    const ended = await api.control('POST', 'trigger', {
      type: 'pix.settled',
      until: 'ended',
      timeout: '1ms',
    });
    expect(ended.body.reached).toBe(false);
  });

  test('accepts fields for a new resource, or names an existing one', async ({ api }) => {
    const made = await api.control('POST', 'charges', { code: 'mine' });
    const named = await api.control('POST', 'trigger', { type: 'pix.settled', charge: 'mine' });
    expect(named.body.events[0]?.resource).toEqual({ type: 'pix', id: made.body.id, code: 'mine' });
    const chosen = { code: 'new', amount: '7.00', metadata: { a: 'b' } };
    await api.control('POST', 'trigger', { type: 'pix.settled', with: chosen });
    expect((await api.control('GET', 'charges/new')).body).toMatchObject({ ...chosen, status: 'SETTLED' });
    const statusOf = async (body: object) => (await api.control('POST', 'trigger', body)).status;
    expect(await statusOf({ type: 'pix.settled', charge: 'none' })).toBe(404);
    expect(await statusOf({ type: 'pix.settled', with: { code: 'new' } })).toBe(409);
    expect(await statusOf({ type: 'pix.settled', withdrawal: 'w' })).toBe(400);
  });

  const wrong: Readonly<Record<string, [body: object, field: string]>> = {
    'an unknown field of the charge': [{ type: 'pix.settled', with: { amout: '1' } }, 'with.amout'],
    'a withdrawal’s field for a charge': [
      { type: 'pix.settled', with: { pix_key: 'a@b.co' } },
      'with.pix_key',
    ],
    'a count and a code': [{ type: 'pix.settled', count: 2, with: { code: 'x' } }, 'count'],
    'a count and a charge': [{ type: 'pix.settled', count: 2, charge: 'x' }, 'count'],
  };
  test.for(Object.entries(wrong))('rejects %s', async ([, [body, field]], { api }) => {
    const before = api.state();
    const answer = await api.control('POST', 'trigger', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map((detail) => detail.field)).toEqual([field]);
    expect(api.state()).toEqual(before);
  });
});
