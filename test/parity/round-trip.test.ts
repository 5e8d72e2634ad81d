import { describe, expect, test } from 'vitest';
import type { ControlClient } from '../../src/client/control.js';
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from '../../src/contract/assumptions.js';
import { SCOPES } from '../../src/contract/enums.js';
import { HOUR_MS, MINUTE_MS, parseDuration } from '../../src/contract/time.js';
import { createTimeout } from '../../src/delivery/abort.js';
import type { WebhookSource } from '../../src/parity/implementation.js';
import { createCounters, PROBE_LIMITS } from '../../src/parity/other-implementation.js';
import { openProbeReceiver } from '../../src/parity/receiver.js';
import { type Chance, chanceOf } from '../helpers/random.js';
import { openSecond, probe, probeSecond, textsOf } from './probe-helper.js';

type Assume = Readonly<Record<string, string>>;
type Probed = Awaited<ReturnType<typeof probe>>;

const SENTENCE = /^[A-Z][^.]*(?:\d\.\d[^.]*)*\.$/;
const DURATIONS = ['0s', '1s', '2s', '29s', '137s', '5m', '15m', '451s', '1h', '24h', '1d12h', '30d'];
const AMOUNTS = ['0.00', '0.01', '0.50', '1.00', '4.99', '5.00', '137.42', '999999.99'];
const PERCENTAGES = ['0', '0.8', '0.80', '0.25', '1.5', '0.0001', '2.99', '3.9999', '50', '100'];
/** Facts that charges and sessions do not show. */
const UNSEEN = [
  'charge.late_window',
  'transactions.scope',
  'event.qr_image',
  'webhook.timestamp',
  'session.lapsed_result',
] as const satisfies readonly AssumptionId[];

function choicesOf(id: AssumptionId): readonly string[] {
  const { choices } = ASSUMPTIONS[id];
  if (choices.includes(' | ')) return choices.split(' | ');
  if (choices.startsWith('a duration')) return DURATIONS;
  return choices.startsWith('an amount') ? AMOUNTS : PERCENTAGES;
}

const isFee = (id: string) => id.startsWith('fee.');
const isSame = (one: string | undefined, other: string | undefined) =>
  one === other || Number(one) === Number(other);

/** Lists wrong values, values that are unknown without a good reason, and other differences. */
function listProblems(
  { outcomes, values, differences }: Probed,
  theirs: Assume,
  ours: Assume = {},
): string[] {
  const [real, own] = [textsOf(theirs), textsOf(ours)];
  const known = outcomes.filter(({ value }) => value !== undefined);
  const unknown = outcomes.filter(({ id, value }) => id in real && value === undefined);
  const unresolved = new Set<string>(unknown.map(({ id }) => id).filter((id) => !isSame(real[id], own[id])));
  const hasFees = [...unresolved].some(isFee);
  return [
    ...known.flatMap(({ id, value = '' }) =>
      isFound(id, value, real[id]) ? [] : `${id} is ${real[id]}, but ${value} was found`,
    ),
    ...UNSEEN.filter((id) => values[id] !== undefined).map((id) => `${id} was found`),
    ...unknown.flatMap(({ id, reason = '' }) => {
      const isExpected = UNSEEN.some((one) => one === id) || isFee(id);
      const isGood = isExpected || (id === 'signature.tolerance' && isInRange(reason, real[id] ?? ''));
      return isGood && SENTENCE.test(reason) ? [] : `${id} is ${real[id]}, but unknown: ${reason}`;
    }),
    // Fees that are not in effect remain unknown, and the sandbox keeps its own values.
    ...differences.flatMap((one) =>
      unresolved.has(one.fact) || (hasFees && isFee(one.fact)) ? [] : `difference: ${JSON.stringify(one)}`,
    ),
  ];
}

/** Returns true for the real value, or a rate with two decimals near a real one with more decimals. */
function isFound(id: string, value: string, real = ''): boolean {
  const isNear = /^\d+\.\d{3,}$/.test(real) && Math.abs(Number(value) - Number(real)) < 0.01;
  return isFee(id) ? isSame(value, real) || isNear : value === real;
}

/** Returns true for a range that contains a duration above half an hour; shorter ones are always recovered. */
function isInRange(reason: string, real: string): boolean {
  const [, from = '', to = '99999d'] =
    /^It is (?:between )?(\w+) (?:and (\w+)|or more)\.$/.exec(reason) ?? [];
  const [low = NaN, ms = NaN, high = NaN] = [from, real, to].map(parseDuration);
  return low <= ms && ms <= high && ms > 30 * MINUTE_MS;
}

describe('the assumptions of another sandbox', () => {
  test.for(ASSUMPTION_IDS)('are recovered or unknown for a reason: every choice of %s', async (id) => {
    for (const choice of choicesOf(id)) {
      const theirs = { [id]: choice };
      const probed = await probeSecond(theirs, {}, ['charges', 'sessions']);
      expect({ choice, problems: listProblems(probed, theirs) }).toEqual({ choice, problems: [] });
    }
  });

  test('are confirmed if only their notation differs', async () => {
    const ours = { 'fee.provider_rate': '0.80', 'charge.lifetime': '1440m' };
    const { outcomeOf, differences } = await probeSecond({}, ours, ['charges']);
    expect(outcomeOf('fee.provider_rate')).toMatchObject({ outcome: 'confirmed', value: '0.80' });
    expect(outcomeOf('charge.lifetime')).toMatchObject({ outcome: 'confirmed', value: '1d' });
    expect(differences).toEqual([]);
  });

  test('are recovered if no charge of this sandbox could be paid', async () => {
    const theirs = { 'charge.lifetime': '0s' };
    const probed = await probeSecond(theirs, { 'charge.late_window': '0s' }, ['charges', 'sessions']);
    expect(listProblems(probed, theirs)).toEqual([]);
  });

  test('are recovered or unknown for a reason, in random combinations', async () => {
    const seed = Math.trunc(Math.random() * 2 ** 31);
    const chance = chanceOf(seed);
    for (let run = 0; run < 60; run += 1) {
      // The charges of the second sandbox must be payable.
      const theirs = { ...drawAssume(chance), 'charge.late_window': '1h' };
      const ours = run % 2 === 0 ? {} : drawAssume(chance);
      const probed = await probeSecond(theirs, ours, ['charges', 'sessions']);
      const problems = listProblems(probed, theirs, ours);
      expect({ seed, theirs, ours, problems }).toEqual({ seed, theirs, ours, problems: [] });
    }
  }, 120_000);
});

const drawFrom = <T>(chance: Chance, all: readonly T[]) => all[Math.floor(chance() * all.length)] as T;
function drawAssume(chance: Chance): Assume {
  return Object.fromEntries(ASSUMPTION_IDS.map((id) => [id, drawFrom(chance, choicesOf(id))]));
}

describe('the scope of transactions', () => {
  const OTHERS = SCOPES.map((scope) => SCOPES.filter((one) => one !== scope));
  const SETS = {
    each: SCOPES.map((scope) => [scope]),
    'all but one': OTHERS,
    none: [[]],
    some: OTHERS.slice(2, 4),
  };

  test.for(Object.entries(SETS))('is found among the candidates that tokens allow: %s', async ([, apps]) => {
    for (const scope of choicesOf('transactions.scope')) {
      const theirs = { 'transactions.scope': scope };
      const { outcomeOf, values, differences } = await probeSecond(theirs, {}, [], { apps });
      const { reason } = outcomeOf('transactions.scope') ?? {};
      const known =
        values['transactions.scope'] ?? /^With these tokens, it can be (.+)\.$/.exec(reason ?? '')?.[1];
      // No refused request needs pix:read.
      const candidates = ['none', ...SCOPES].filter(
        (one) =>
          one === 'pix:read' || apps.every((scopes) => isAllowed(scopes, one) === isAllowed(scopes, scope)),
      );
      expect(known).toBe(candidates.join(' or '));
      expect(differences).toEqual([]);
    }
  });

  test('leaves enough requests for charges, with an unusual tolerance', async () => {
    const theirs = { 'signature.tolerance': '5h17m3s', 'charge.lifetime': '15m', 'session.lifetime': '45m' };
    const { values, outcomeOf } = await probeSecond(theirs, {}, ['charges', 'sessions'], {
      apps: [['pix:read']],
    });
    expect(values).toMatchObject({ 'charge.lifetime': '15m', 'session.lifetime': '45m' });
    expect(isInRange(outcomeOf('signature.tolerance')?.reason ?? '', '5h17m3s')).toBe(true);
  });
});

function isAllowed(scopes: readonly string[], needed: string): boolean {
  return needed === 'none' || scopes.includes(needed);
}

test.for(['410', '200'])('a second run finds the result of the expired session: %s', async (result) => {
  const theirs = { 'session.lapsed_result': result, 'session.lifetime': '45m' };
  await using second = await openSecond(theirs);
  const first = await probe(second, {}, ['sessions']);
  expect(first.outcomeOf('session.lapsed_result')).toMatchObject({
    outcome: 'unknown',
    reason: expect.any(String),
  });
  const id = first.observations.notes['session id'] ?? '';
  const pending = async () => {
    Object.assign(second.counters, createCounters());
    return probe(second, {}, ['sessions'], { 'session id': id });
  };
  const early = await pending();
  expect(early.values['session.lapsed_result']).toBeUndefined();
  expect(early.outcomeOf('session.lapsed_result')?.reason).toMatch(SENTENCE);
  await second.control.post('clock/advance', { body: { by: '45m' } });
  const { values, differences } = await pending();
  expect(values['session.lapsed_result']).toBe(result);
  expect([...first.differences, ...early.differences, ...differences]).toEqual([]);
  expect(await second.control.list('kyc/sessions')).toHaveLength(1);
});

describe('the webhooks of another sandbox', () => {
  const CASES = choicesOf('event.qr_image').flatMap((image) =>
    choicesOf('webhook.timestamp').flatMap((stamp) =>
      [false, true].map((isAhead) => ({ image, stamp, isAhead })),
    ),
  );

  test.for(CASES)('are compared with the sandbox’s: %o', async ({ image, stamp, isAhead }) => {
    await using receiver = await openProbeReceiver(0);
    const theirs = { 'event.qr_image': image, 'webhook.timestamp': stamp };
    const { values, outcomeOf, differences } = await probeSecond(theirs, {}, ['endpoint'], {
      prepare: async (control) => {
        if (isAhead) await control.post('clock/advance', { body: { by: '90d' } });
        await control.post('withdrawals', { body: {} });
      },
      webhooks: (control, now) => createSource(control, now, receiver),
    });
    expect(values['event.qr_image']).toBe(image);
    expect(values['webhook.timestamp']).toBe(isAhead ? stamp : undefined);
    const agrees = 'The server’s clock agrees with this machine’s, so both choices look the same.';
    expect(outcomeOf('webhook.timestamp')?.reason).toBe(isAhead ? undefined : agrees);
    const retry = outcomeOf('event.object')?.result['webhook'];
    expect(retry).toMatchObject({
      'relation of retry': expect.stringMatching(/^after \w+$/),
      'relation of signature': 'valid',
    });
    expect(differences).toEqual([]);
  });
});

/** Settles a charge of the second sandbox, and advances its clock to the retry. */
function createSource(
  control: ControlClient,
  now: () => number,
  receiver: Awaited<ReturnType<typeof openProbeReceiver>>,
): WebhookSource {
  const next = async () => ({ ...(await receiver.next(createTimeout(10_000))), atMs: now() });
  return {
    url: `http://127.0.0.1:${receiver.port}/`,
    next,
    pay: async () => {
      const { id } = await control.post('charges', { body: {} });
      await control.post('charges/:id/settle', { id });
    },
    awaitRetry: async () => {
      const ids = (await control.list('deliveries')).map(({ id }) => id);
      const { deliveries } = await control.post('deliveries/until', { body: { ids, until: 'attempted' } });
      const [one] = deliveries;
      const waitedMs = Date.parse(one?.next_attempt_at ?? '') - Date.parse(one?.last_attempt_at ?? '');
      await control.post('clock/advance', { body: { by: `${waitedMs}ms` } });
      return { webhook: await next(), waitedMs };
    },
  };
}

test('100 sandboxes with random ids, clocks and resources show no difference, within all limits', async () => {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  const chance = chanceOf(seed);
  const count = (max: number) => Math.floor(chance() * (max + 1));
  for (let run = 0; run < 100; run += 1) {
    const parts = (['charges', 'sessions'] as const).filter(() => chance() < 0.5);
    const input = {
      startMs: Math.floor(chance() * 4e12),
      charges: count(4),
      withdrawals: drawFrom(chance, [0, 1, 2, 5, 27, 60]),
      endpoints: count(3),
      sessions: count(3),
    };
    const { startMs } = input;
    await using second = await openSecond(
      {},
      { startMs, prepare: (control, time) => createRandom(control, time.wait, input, chance) },
    );
    const before = await countResources(second.control);
    const { outcomes, differences, counters, requests } = await probe(second, {}, parts);
    const after = await countResources(second.control);
    // Without a resource that states its environment, the probe only reads.
    const isReadOnly = counters.environment === null;
    const created = isReadOnly ? [] : parts;
    const added = created.includes('charges') ? after.charges - before.charges : 0;
    const sessions = before.sessions + (created.includes('sessions') ? 1 : 0);
    const found = {
      differences,
      settings: outcomes.filter(({ outcome }) => outcome === 'setting'),
      isReadOnly: requests.every((one) => one.startsWith('GET ')),
      exceeds:
        requests.length > PROBE_LIMITS.requests ||
        counters.refusedSignatures > PROBE_LIMITS.refusedSignatures ||
        added > 5,
      after,
    };
    const wanted = {
      differences: [],
      settings: [],
      isReadOnly,
      exceeds: false,
      after: { ...before, charges: before.charges + added, sessions },
    };
    expect({ seed, run, parts, input, ...found }).toEqual({ seed, run, parts, input, ...wanted });
  }
}, 120_000);

async function createRandom(
  control: ControlClient,
  wait: (ms: number) => Promise<void>,
  {
    charges,
    withdrawals,
    endpoints,
    sessions,
  }: Readonly<Record<'charges' | 'withdrawals' | 'endpoints' | 'sessions', number>>,
  chance: Chance,
): Promise<void> {
  const repeat = async (times: number, create: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < times; index += 1) await create(index);
  };
  await control.post('deliveries/pause');
  await repeat(endpoints, (index) =>
    control.post('endpoints', {
      body: { url: `http://127.0.0.1:9/${index}`, events: ['pix.settled', 'withdrawal.settled'] },
    }),
  );
  await repeat(charges, async () => {
    const { id } = await control.post('charges', { body: { amount: '90000.00' } });
    if (withdrawals > 0 || chance() < 0.7) await control.post('charges/:id/settle', { id });
  });
  await repeat(withdrawals, async () => {
    const type = drawFrom(chance, ['withdrawal.settled', 'withdrawal.failed'] as const);
    const amount = `${Math.ceil(chance() * 1_000) + 1}.00`;
    if (chance() < 0.5) await control.post('trigger', { body: { type, with: { amount } } });
    else if (charges > 0) await control.post('withdrawals', { body: { amount } });
    if (chance() < 0.5) await wait(Math.ceil(chance() * HOUR_MS));
  });
  await repeat(sessions, () => control.post('kyc/sessions', { body: {} }));
}

async function countResources(control: ControlClient) {
  const lists = [
    control.list('charges'),
    control.list('withdrawals'),
    control.get('endpoints').then(({ data }) => data),
    control.list('kyc/sessions'),
    control.list('deliveries'),
    control.list('events'),
  ];
  const [charges = 0, withdrawals, endpoints, sessions = 0, deliveries, events] = (
    await Promise.all(lists)
  ).map((rows) => rows.length);
  return { charges, withdrawals, endpoints, sessions, deliveries, events };
}
