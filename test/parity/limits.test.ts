import { describe, expect, test } from 'vitest';
import type { ProbePart } from '../../src/parity/facts.js';
import { createObservations } from '../../src/parity/observer.js';
import { questionImplementation } from '../../src/parity/probe.js';
import { chanceOf } from '../helpers/random.js';
import {
  acceptCreations,
  ALL_PARTS,
  ID,
  json,
  judge,
  newState,
  probe,
  type Respond,
  START_MS,
  TEST_PAGE,
} from './fake-server.js';
import { openSecond } from './probe-helper.js';

describe('permission', () => {
  test('sends only GETs if no resource states its environment, and the facts state why', async () => {
    const page = { data: [], paging: { before: null, after: null } };
    const { posts, stop, state, scope } = await probe(() => json(200, page), {
      parts: ['charges', 'sessions'],
    });
    expect([posts, stop]).toEqual([[], undefined]);
    const outcomes = judge(state, scope, createObservations());
    for (const id of ['signature.encoding', 'charge.fields', 'session.create'] as const) {
      expect(outcomes.find((one) => one.id === id)).toMatchObject({
        outcome: 'unknown',
        reason: expect.stringContaining('--environment-is-test'),
      });
    }
  });

  test('sends no POST before a resource states TEST, unless the caller vouches for the environment', async () => {
    const respond: Respond = ({ method, path }) =>
      method === 'GET' ? json(200, path.includes('/accounts/') ? TEST_PAGE : { data: [] }) : json(404, {});
    const { sent } = await probe(respond);
    const stated = sent.findIndex(({ path }) => path.includes('/accounts/'));
    expect(sent.findIndex(({ method }) => method === 'POST')).toBeGreaterThan(stated);
    const vouched = await probe(({ method }) => json(method === 'GET' ? 200 : 404, {}), { isTest: true });
    expect(vouched.posts.length).toBeGreaterThan(0);
  });

  test('creates nothing without permission, and asks in order, one request per second', async () => {
    const times: number[] = [];
    const statuses: number[] = [];
    await using second = await openSecond(
      {},
      {
        mutate: (response, { method }) => {
          if (method === 'POST') statuses.push(response.status);
          return response;
        },
        other: { onRequest: () => times.push(second.time.now()) },
      },
    );
    const scope = { parts: new Set<ProbePart>(['reads', 'refusals']), hasIdentity: true, tokens: 1 };
    await questionImplementation(second.other, createObservations(), scope);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    const kinds = second.requests.map((request) =>
      request.startsWith('GET') ? 'GET' : request.includes('/retry') ? 'retry' : 'refusal',
    );
    const first = (kind: 'retry' | 'refusal') => kinds.indexOf(kind);
    expect(first('retry')).toBeGreaterThan(10);
    expect(first('retry')).toBeLessThan(first('refusal'));
    expect(kinds.slice(0, first('retry')).every((kind) => kind === 'GET')).toBe(true);
  });
});

const unlessGet =
  (respond: Respond): Respond =>
  (sent, index) =>
    sent.method === 'GET' && index < 10 ? json(200, TEST_PAGE) : respond(sent, index);

describe('hostile servers', () => {
  const CREATED = { ...TEST_PAGE.data[0], sessionId: ID, secret: 'whsec_x', code: 'c', fees: {} };
  const chance = chanceOf(7);
  const STATUSES = [200, 201, 204, 400, 401, 404, 405, 409, 410, 415, 422, 500, 503];
  const SERVERS: Readonly<Record<string, Respond>> = {
    '401 to every signature': ({ headers }) => json(headers.has('x-signature') ? 401 : 404, {}),
    401: () => json(401, {}),
    404: () => json(404, {}),
    400: () => json(400, {}),
    422: () => json(422, {}),
    '200 and nothing': () => new Response(null),
    '200 and a resource': () => json(200, CREATED),
    '201 and a resource': () => json(201, CREATED),
    'creations accepted': (sent) => json(acceptCreations(sent), sent.method === 'GET' ? TEST_PAGE : CREATED),
    'a new resource for each request': (sent) => {
      const id = crypto.randomUUID();
      return json(
        acceptCreations(sent),
        sent.method === 'GET' ? TEST_PAGE : { ...CREATED, id, sessionId: id },
      );
    },
    'random statuses': () => json(STATUSES[Math.floor(chance() * STATUSES.length)] ?? 200, CREATED),
  };
  test.each(Object.entries(SERVERS))('keeps the limits with %s', async (_name, respond) => {
    for (const answer of [respond, unlessGet(respond)]) {
      for (const isTest of [true, false]) {
        const { sent, state, counters } = await probe(answer, { parts: ALL_PARTS, isTest });
        expect(sent.length).toBeLessThanOrEqual(55);
        expect(counters.refusedSignatures).toBeLessThanOrEqual(15);
        const created = sent.filter(({ method, path, body }) => {
          return method === 'POST' && path.endsWith('/pix') && body.includes(ID);
        });
        expect(Number(state.observations.notes['charges'] ?? 0)).toBeLessThanOrEqual(5);
        expect(created.length).toBeLessThanOrEqual(7);
        const gaps = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
        expect(Math.min(1_000, ...gaps)).toBe(1_000);
      }
    }
  });

  test('counts every refused signature, and sends no further signature after fifteen', async () => {
    for (const earlier of [0, 9]) {
      const state = newState();
      state.counters.refusedSignatures = earlier;
      let isFirst = true;
      let refused = earlier;
      const { counters } = await probe(
        ({ method, headers }) => {
          if (method === 'GET') return json(200, TEST_PAGE);
          const isAccepted = isFirst || !headers.has('x-signature');
          isFirst = false;
          refused += isAccepted ? 0 : 1;
          return json(isAccepted ? 404 : 401, {});
        },
        { parts: ALL_PARTS, state },
      );
      expect([refused, counters.refusedSignatures]).toEqual([15, 15]);
    }
  });
});

describe('stops', () => {
  const created = { id: 'chg_1', code: 'parity-9', url: 'https://x.example', name: 'Ana', document: '1' };
  const at =
    (wanted: number, response: () => Response): Respond =>
    ({ method }, index) =>
      index === wanted ? response() : json(method === 'GET' ? 200 : 404, TEST_PAGE);
  const POST_INDEX = 12;
  const elsewhere = { location: 'https://elsewhere.example/' };
  const STOPS: readonly (readonly [name: string, index: number, response: () => Response, says: RegExp])[] = [
    [
      'PRODUCTION',
      0,
      () => json(200, { environment: 'PRODUCTION' }),
      /environment "PRODUCTION"; expected "TEST"/,
    ],
    ['a nested PRODUCTION', 2, () => json(200, { data: [{ a: { environment: 'LIVE' } }] }), /"LIVE"/],
    [
      'PRODUCTION after TEST',
      1,
      () => json(200, { data: [{ environment: 'TEST' }, { environment: 'PRODUCTION' }] }),
      /"PRODUCTION"/,
    ],
    ['an error in PRODUCTION', 3, () => json(404, { error: { environment: 'PRODUCTION' } }), /"PRODUCTION"/],
    [
      'an unexpected 201',
      POST_INDEX,
      () => json(201, { ...created, environment: 'PRODUCTION' }),
      /retry returned 201, although .* created: id chg_1, code parity-9, url https:\/\/x\.example\.$/,
    ],
    ['an unexpected 204', POST_INDEX, () => json(204, null), /returned 204, .* names no resource/],
    ['403', 3, () => json(403, { error: { code: 'forbidden' } }), /returned 403 forbidden; the probe stops/],
    ['423', 0, () => json(423, {}), /returned 423; the probe stops/],
    ['429', POST_INDEX, () => json(429, {}), /returned 429; the probe stops/],
    ['401 on the first request', 0, () => json(401, {}), /returned 401: the token was refused/],
    [
      'an unknown account',
      1,
      () => json(404, {}),
      /ID\/transactions\?limit=50 returned 404: there is no such account/,
    ],
    ...[301, 302, 303, 307, 308].flatMap((status) => [
      [`${status}`, 1, () => json(status, null), /a redirect, which is not followed/] as const,
      [`${status} elsewhere`, POST_INDEX, () => json(status, null, elsewhere), /is not followed/] as const,
    ]),
    [
      'a lost connection',
      5,
      () => {
        throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
      },
      /^https:\/\/api\.example does not respond: ECONNRESET$/,
    ],
  ];
  test.each(STOPS)('sends no request after %s', async (_name, index, response, says) => {
    const { sent, stop } = await probe(at(index, response), { parts: ALL_PARTS });
    expect(stop?.message).toMatch(says);
    expect(stop?.hint).toMatch(/^[A-Z].*\.$/);
    expect(sent).toHaveLength(index + 1);
    expect(stop?.message).not.toMatch(/Ana|token-1|secret-1/);
  });

  test('stops at the third server error, also of a resumed run', async () => {
    const failing: Respond = ({ method }, index) =>
      index % 4 === 3 ? json(503, {}) : json(method === 'GET' ? 200 : 404, TEST_PAGE);
    const { sent, stop } = await probe(failing);
    expect([sent.length, stop?.message]).toEqual([12, expect.stringContaining('the third server error')]);
    const state = newState();
    state.counters.serverErrors = 2;
    expect((await probe(failing, { state })).sent).toHaveLength(4);
  });

  test('names the charge that a creation left in another environment', async () => {
    await using second = await openSecond(
      {},
      {
        mutate: async (response, { method }) => {
          const text = (await response.text()).replace(
            method === 'POST' ? '"TEST"' : '',
            (all) => all && '"LIVE"',
          );
          return new Response(text, response);
        },
      },
    );
    const scope = {
      parts: new Set<ProbePart>(['reads', 'refusals', 'charges']),
      hasIdentity: false,
      tokens: 1,
    };
    await expect(questionImplementation(second.other, createObservations(), scope)).rejects.toThrow(
      /"LIVE"; expected "TEST"\. It may have created: id [-0-9a-f]{36}, code parity-/,
    );
    expect(second.requests.at(-1)).toMatch(/^POST .*\/pix$/);
  });

  test('stops again in a resumed run with another environment or a refused token', async () => {
    for (const bad of [json(200, { environment: 'LIVE' }), json(401, {})]) {
      const { state } = await probe(() => bad.clone());
      const second = await probe(() => bad.clone(), { state });
      expect([second.stop?.message.length, second.sent.length]).toEqual([expect.any(Number), 1]);
      const third = await probe(() => json(200, { data: [] }), { state });
      expect(third.posts).toEqual([]);
    }
  });
});

describe('Retry-After', () => {
  const date = (seconds: number) => new Date(START_MS + seconds * 1_000).toUTCString();
  const respondWith =
    (status: number, retryAfter: string): Respond =>
    ({ method }, index) =>
      index === 2
        ? json(status, {}, { 'retry-after': retryAfter })
        : json(method === 'GET' ? 200 : 404, TEST_PAGE);
  test.each([
    [503, '60', 60],
    [200, '7', 7],
    [404, date(40), 37],
    [503, date(-100), 1],
    [503, 'soon', 1],
    [503, '', 1],
  ])('after %i with Retry-After %j, waits %i s', async (status, retryAfter, seconds) => {
    const { sent, stop } = await probe(respondWith(status, retryAfter));
    expect(stop).toBeUndefined();
    const waitedMs = (sent[3]?.atMs ?? 0) - (sent[2]?.atMs ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(seconds * 1_000);
    expect(waitedMs).toBeLessThan((seconds + 2) * 1_000);
  });

  test.each([
    [503, '61', '2026-03-01T12:01:0'],
    [404, date(600), '2026-03-01T12:10:00'],
    [429, '7', '2026-03-01T12:00:0'],
    [423, date(86_400), '2026-03-02T12:00:00'],
    [503, '999999999', '2057-11-'],
    [503, 'Fri, 31 Dec 9999 23:59:59 GMT', '9999-12-31'],
  ])('after %i with Retry-After %j, stops and states until when', async (status, retryAfter, until) => {
    const first = await probe(respondWith(status, retryAfter));
    expect(first.sent).toHaveLength(3);
    expect(first.stop?.hint).toContain(`after ${until}`);
    const { notBefore } = first.counters;
    expect(first.stop?.hint).toContain(new Date(notBefore).toISOString().slice(0, 19));
    const resumed = await probe(respondWith(200, ''), { state: first.state, startMs: first.time.now() });
    expect(resumed.sent[0]?.atMs).toBeGreaterThanOrEqual(notBefore);
  });
});
