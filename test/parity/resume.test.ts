import { expect, test } from 'vitest';
import type { ProbePart } from '../../src/parity/facts.js';
import { ProbeStop } from '../../src/parity/implementation.js';
import { inferFrom } from '../../src/parity/probe.js';
import { chanceOf } from '../helpers/random.js';
import {
  acceptCreations,
  json,
  newState,
  probe,
  type ProbeState,
  type Respond,
  START_MS,
  TEST_PAGE,
} from './fake-server.js';
import { openSecond } from './probe-helper.js';

const PARTS: readonly ProbePart[] = ['charges', 'sessions'];
const THEIRS = { 'signature.tolerance': '2m', 'fee.provider_rate': '1.5', 'session.lifetime': '45m' };

/** A request that cannot be repeated. */
const LOSABLE = new Set(['POST /kyc/sessions']);
const LOST = 'lost';
const UNSENT = 'unsent';

/** Probes a second sandbox until nothing interrupts the probe; `interrupt` decides for every request. */
async function probeInRuns(
  interrupt: (index: number, body: string, account: string) => typeof LOST | typeof UNSENT | undefined,
) {
  let state = newState();
  let count = 0;
  const charges = new Set<string>();
  const sessions = new Set<string>();
  await using second = await openSecond(THEIRS, { startMs: START_MS });
  const { server, other, time } = second;
  for (;;) {
    const before = structuredClone(state);
    const abort = new AbortController();
    const { stop, sent } = await probe(
      async ({ method, path, headers, body }) => {
        const interruption = interrupt(count, body, other.credentials.accountId);
        count += 1;
        if (interruption === UNSENT) abort.abort();
        if (interruption === UNSENT) throw new Error('aborted');
        const init = { method, headers, ...(method === 'POST' && { body }) };
        const response = await server.fetch(new Request(server.url + path, init), {});
        const { id, sessionId } = (await response.clone().json()) as Readonly<Record<string, string>>;
        if (path.endsWith('/pix') && id !== undefined) charges.add(id);
        if (sessionId !== undefined) sessions.add(sessionId);
        if (interruption === LOST) throw new Error('lost');
        return response;
      },
      { parts: PARTS, state, credentials: other.credentials, signal: abort.signal, time },
    );
    const { counters, observations } = state;
    expect(counters.requests).toBe(before.counters.requests + sent.length);
    expect(counters.refusedSignatures).toBeGreaterThanOrEqual(before.counters.refusedSignatures);
    expect(observations.asked.slice(0, before.observations.asked.length)).toEqual(before.observations.asked);
    expect(new Set(observations.asked).size).toBe(observations.asked.length);
    if (stop === undefined) break;
    expect(stop.message).toMatch(/interrupted|does not respond/);
    // As stored in a file.
    state = JSON.parse(JSON.stringify(state)) as ProbeState;
  }
  expect([charges.size <= 5, sessions.size <= 1]).toEqual([true, true]);
  expect(count).toBeLessThanOrEqual(55);
  const { values } = inferFrom(state.observations);
  return { state, values, count, charges };
}

test.each([
  [LOST, 2],
  [UNSENT, 6],
] as const)(
  'a resumed probe finds the same as an uninterrupted one if any request is %s',
  { timeout: 120_000 },
  async (kind, step) => {
    const whole = await probeInRuns(() => undefined);
    expect(whole.values).toMatchObject(THEIRS);
    const all = whole.state.observations.requests;
    const problems: unknown[] = [];
    for (let index = 0; index < whole.count; index += step) {
      const { state, values, count } = await probeInRuns((at) => (at === index ? kind : undefined));
      const { requests } = state.observations;
      const changed = Object.keys(all).filter((name) => {
        // Repeated requests count, so the last ones, on which no setting depends, may be missing.
        if (requests[name] === undefined) return count < 55 && !LOSABLE.has(name);
        return JSON.stringify(requests[name]) !== JSON.stringify(all[name]);
      });
      // Without the response to a creation, a value can be unknown, but not another one.
      const missing = Object.keys(whole.values).filter((id) => values[id] !== whole.values[id]);
      const isLosable = (id: string) => values[id] === undefined && /^(?:fee\.|session\.lifetime)/.test(id);
      const wrong = [...changed, ...missing.filter((id) => !isLosable(id))];
      if (wrong.length > 0) problems.push({ index, wrong });
    }
    expect(problems).toEqual([]);
  },
);

test('creates at most five charges and one session however often it is interrupted', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const chance = chanceOf(seed);
  for (let count = 0; count < 5; count += 1) {
    const runs = probeInRuns((index) => (index > 25 && chance() < 0.3 ? LOST : undefined));
    await expect(runs, `seed ${seed}`).resolves.toBeDefined();
  }
});

test('creates at most five charges if the response to each of them is lost', async () => {
  const { charges, state } = await probeInRuns((_index, body, account) =>
    body.includes(account) ? LOST : undefined,
  );
  expect(charges.size).toBe(5);
  expect(state.observations.asked).toContain('sessions');
});

test('registers no second endpoint after an interruption while it waits for a webhook', async () => {
  const next = () => Promise.reject(new ProbeStop('The probe was interrupted.', 'Resume.'));
  const webhooks = { url: 'https://hooks.example/', next, pay: async () => undefined, awaitRetry: next };
  const state = newState();
  const respond: Respond = (sent) =>
    json(acceptCreations(sent), sent.method === 'GET' ? TEST_PAGE : { secret: 'whsec_x' });
  const options = { parts: ['endpoint'], state, webhooks } as const;
  const first = await probe(respond, options);
  expect([first.stop?.message, first.posts.at(-1)?.body]).toEqual([
    'The probe was interrupted.',
    expect.stringContaining(webhooks.url),
  ]);
  const second = await probe(respond, options);
  expect(second.stop).toBeUndefined();
  expect(second.posts.filter(({ body }) => body.includes(webhooks.url))).toEqual([]);
  expect(state.observations.unknown['event.object']).toMatch(/no second one is created/);
});
