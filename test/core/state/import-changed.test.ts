import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { importWorld } from '../../../src/core/state/import.js';
import { deliveryFault } from '../../helpers/core/fault-commands.js';
import { thrownBy } from '../../helpers/thrown-by.js';
import { richState } from '../../helpers/core/rich-state.js';
import { TestWorld } from '../../helpers/core/world.js';

const { world: rich } = richState();
type Field = readonly [table: string, field: string | undefined];
const fields = Object.entries(rich).flatMap(([name, value]): Field[] => {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  const isTable = typeof first === 'object' && first !== null;
  return isTable ? Object.keys(first).map((field): Field => [name, field]) : [[name, undefined]];
});

test.each(fields)('rejects a state whose %s has another value as %s', (name, field) => {
  const junk = [[{ other: [] }]];
  const rows = rich[name as 'charges'];
  const changed = field === undefined ? junk : [{ ...rows[0], [field]: junk }, ...rows.slice(1)];
  const place = field === undefined ? name : `${name}[0].${field}`;
  const { code, message } = thrownBy(() => importWorld({ ...rich, [name]: changed }), Refusal);
  expect([code, message.replace(/^head\./, '')]).toEqual(['INVALID_REQUEST', expect.stringContaining(place)]);
  expect(message).toContain(': ');
});

test('rejects a withdrawal whose fee is above its amount', () => {
  const withdrawals = [{ ...rich.withdrawals[0], feeCents: 1e9 }, ...rich.withdrawals.slice(1)];
  const { message } = thrownBy(() => importWorld({ ...rich, withdrawals }), Refusal);
  expect(message).toMatch(
    /^withdrawals\[0\]\.feeCents: expected fees of at most the amount, \d+; got 1000000000\.$/,
  );
});

describe('a changed state', () => {
  type State = ReturnType<typeof exportWorld>;
  const first = <Row extends object>(rows: readonly Row[], change: Partial<Record<keyof Row, unknown>>) =>
    rows.map((row, index) => (index === 0 ? { ...row, ...change } : row));
  const inEvent = (state: State, id: string) => ({
    ...state,
    events: first(state.events, { resource: { ...state.events[0]?.resource, id } }),
  });
  const { world } = lived();

  test.each<[string, (state: State) => unknown, RegExp]>([
    [
      'no secret',
      (s) => ({ ...s, endpoints: first(s.endpoints, { secret: '' }) }),
      /^endpoints\[0\]\.secret: expected whsec_/,
    ],
    [
      'half a secret',
      (s) => ({ ...s, endpoints: first(s.endpoints, { secret: 'whsec_AAA' }) }),
      /^endpoints\[0\]\.secret: .*; got another text\.$/,
    ],
    [
      'no attempt at a time',
      (s) => ({ ...s, endpoints: first(s.endpoints, { concurrency: 0 }) }),
      /concurrency: expected a whole number from 1 to 64; got 0/,
    ],
    [
      'an invalid URL',
      (s) => ({ ...s, endpoints: first(s.endpoints, { url: 'shop' }) }),
      /^endpoints\[0\]\.url: expected an http or https URL of visible ASCII, with a path; got "shop"\.$/,
    ],
    [
      'a publishable key of two organizations',
      (s) => ({
        ...s,
        organizations: [...s.organizations, { ...s.organizations[0], name: 'other', kycToken: null }],
      }),
      /^organizations\[\d\]\.publishableKey: expected a value not used by another organization\.$/,
    ],
    [
      'a URL with an invalid port',
      (s) => ({ ...s, endpoints: first(s.endpoints, { url: 'http://shop.example:65536/' }) }),
      /^endpoints\[0\]\.url/,
    ],
    ['a resource with a long id', (s) => inEvent(s, 'x'.repeat(200)), /^events\[0\]\.resource: expected/],
    [
      'a resource whose id is a lone surrogate',
      (s) => inEvent(s, '\ud800'),
      /^events\[0\]\.resource\.id: Must not contain lone surrogates\.$/,
    ],
    [
      'another id',
      (s) => ({ ...s, charges: first(s.charges, { id: s.deliveries[0]?.id }) }),
      /^charges\[0\]\.id: expected .*, derived from seed and ordinal; got/,
    ],
    [
      'a name with a lone surrogate',
      (s) => ({ ...s, charges: first(s.charges, { payerName: 'a\udc00' }) }),
      /^charges\[0\]\.payerName: Must not contain .*lone surrogates/,
    ],
    [
      'an amount that no API accepts',
      (s) => ({ ...s, charges: first(s.charges, { amountCents: 1e15 }) }),
      /^charges\[0\]\.amountCents/,
    ],
    [
      'a fee above the amount of a charge',
      (s) => ({ ...s, charges: first(s.charges, { partnerFeeCents: 1e9 }) }),
      /^charges\[0\]\.providerFeeCents: expected fees of at most the amount, \d+; got 10+\d+\.$/,
    ],
    [
      'an amount of a charge below its fee in an event',
      (s) => ({
        ...s,
        events: first(s.events, { resource: { ...s.events[0]?.resource, amountCents: 1 } }),
      }),
      /^events\[0\]\.resource\.providerFeeCents: expected fees/,
    ],
    [
      'a used code',
      (s) => ({ ...s, charges: first(s.charges, { code: s.charges[1]?.code }) }),
      /^charges\[1\]\.code/,
    ],
    [
      "another application's account",
      (s) => ({ ...s, charges: first(s.charges, { accountId: s.accounts[1]?.id }) }),
      /^charges\[0\]\.accountId/,
    ],
    [
      'an empty agenda',
      (s) => ({ ...s, agenda: [] }),
      /^agenda: expected delivery\.attempt of row 0, which is scheduled/,
    ],
    [
      'another time on the agenda',
      (s) => ({ ...s, agenda: first(s.agenda, { at: 7 }) }),
      /^agenda\[0\]\.at: expected \d+, as in its row; got 7/,
    ],
    [
      'too few transactions counted',
      (s) => ({ ...s, transactionCount: 1 }),
      /^accounts\[\d\]\.transactions\[\d\]\.ordinal/,
    ],
    [
      'more counted than there will be',
      (s) => ({ ...s, endpointCount: 2 ** 53 - 1 }),
      /^head\.endpointCount/,
    ],
    [
      'a delivery that nothing moves',
      (s) => ({ ...s, deliveries: first(s.deliveries, { status: 'PENDING', nextAttemptAt: null }) }),
      /^deliveries\[0\]\.nextAttemptAt/,
    ],
    [
      'a lifetime beyond all time',
      (s) => ({ ...s, assumed: { ...s.assumed, 'charge.lifetime': 9e15 } }),
      /^head\.assumed\["charge\.lifetime"\]: expected a duration/,
    ],
    [
      'a fault without a probability',
      (s) => ({ ...s, faults: first(s.faults, { probability: 0 }) }),
      /^faults\[0\]\.probability/,
    ],
    [
      'a fault with an invalid status',
      (s) => ({ ...s, faults: first(s.faults, { status: 99 }) }),
      /^faults\[0\]\.status/,
    ],
    [
      'a 99th percentile at the median',
      (s) => ({ ...s, autoSettleMs: { medianMs: 5, p99Ms: 5 } }),
      /^head\.autoSettleMs\.p99Ms: expected more than the median, 5; got 5\.$/,
    ],
    ['half a seed', (s) => ({ ...s, seed: [1, 2] }), /^head\.seed: expected four 32-bit numbers/],
  ])('a changed state is rejected with %s', (_name, change, message) => {
    expect(thrownBy(() => importWorld(change(exportWorld(world))), Refusal)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
  });

  function lived(): TestWorld {
    const testWorld = new TestWorld();
    testWorld.addApp();
    testWorld.endpoint();
    testWorld.do({ type: 'fault.add', fault: deliveryFault('drop', { match: { attempt: 3 } }) });
    const [delivery] = testWorld.announce();
    testWorld.charge();
    if (delivery !== undefined) testWorld.answer(delivery, 500);
    return testWorld;
  }
});
