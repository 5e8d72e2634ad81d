import { expect, test } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import * as checks from '../../../src/core/state/checks.js';
import type { Attempt } from '../../../src/core/world.js';
import { addSession } from '../../helpers/core/sessions.js';
import { TestWorld } from '../../helpers/core/world.js';

const lived = new TestWorld();
lived.endpoint();
const charge = lived.charge();
const withdrawal = lived.withdrawal();
lived.do({ type: 'charge.settle', chargeId: charge.id });
const { world } = lived;
const session = addSession(lived, { sessionId: 'kyc_0123aaaa' });
const [endpoint] = world.endpoints.values();
const [event] = world.events.rows;
const [delivery] = world.deliveries.rows;
const later = world.now + 1;

const ended = (number: number): Attempt => ({ number, startedAt: 0, status: 500, error: 'HTTP_STATUS' });

/** A check of a row, the changes that break it, and how each is refused. */
type Broken<Row> = readonly [
  name: string,
  check: (row: Row) => void,
  row: Row | undefined,
  cases: readonly (readonly [change: Partial<Row>, message: string])[],
];

function broken<Row extends object>(...[name, check, row, cases]: Broken<Row>) {
  if (row === undefined) throw new Error(`Expected a ${name}`);
  const broken = cases.map(([change, message]) => [message, () => check({ ...row, ...change })] as const);
  return [[`no mistake in a ${name}`, () => check(row)] as const, ...broken];
}

/** The words with which a check refuses. */
function refusalOf(otherwise: string, check: () => void): string {
  try {
    check();
    return otherwise;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_REQUEST') return error.message;
    throw error;
  }
}

const TABLE = [
  ...broken('charge', (row) => checks.checkCharge(world, row, 'c'), charge, [
    [
      { amountCents: 1, providerFeeCents: 2, partnerFeeCents: 0 },
      'c: expected fees that do not pass the amount.',
    ],
    [{ createdAt: later }, 'c.createdAt: expected an instant that has come.'],
    [{ expiresAt: charge.createdAt - 1 }, 'c.expiresAt: expected an instant after it was created.'],
    [{ status: 'EXPIRED', expiresAt: later }, 'c.expiresAt: expected an instant that has come.'],
    [{ reason: 'AC03', status: 'SETTLED' }, 'c.reason: expected none without a failure.'],
  ]),
  ...broken('withdrawal', (row) => checks.checkWithdrawal(world, row, 'w'), withdrawal, [
    [{ feeCents: withdrawal.amountCents }, 'w.feeCents: expected a fee below the amount.'],
    [{ createdAt: later }, 'w.createdAt: expected an instant that has come.'],
    [{ reason: 'AC03' }, 'w.reason: expected one with a failure, and none without.'],
    [{ status: 'FAILED' }, 'w.reason: expected one with a failure, and none without.'],
  ]),
  ...broken('endpoint', (row) => checks.checkEndpoint(world, row, 'e'), endpoint, [
    [{ updatedAt: later }, 'e.updatedAt: expected an instant since it was created.'],
    [{ createdAt: later, updatedAt: later - 1 }, 'e.updatedAt: expected an instant since it was created.'],
    [{ connected: true, transport: 'http' }, 'e.connected: expected false for what is no listener.'],
  ]),
  ...broken('event', (row) => checks.checkEvent(world, row, 'v'), event, [
    [{ at: later }, 'v.at: expected an instant that has come.'],
    [{ resource: { ...charge, id: 'x' } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, code: 'x' } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, amountCents: 7 } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, ordinal: 7 } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, appId: 'x' } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, accountId: 'x' } }, 'v.resource: expected what the row of its id was.'],
    [{ resource: { ...charge, status: 'FAILED' } }, 'v.resource.status: expected SETTLED.'],
  ]),
  ...broken('delivery', (row) => checks.checkDelivery(world, row, 'd'), delivery, [
    [{ endpointId: 'x' }, 'd.endpointId: expected an active endpoint while it is PENDING.'],
    [{ status: 'FAILED', inFlight: true }, 'd.inFlight: expected false while it is FAILED.'],
    [{ inFlight: false, nextAttemptAt: null }, 'd.nextAttemptAt: expected one while it waits, else null.'],
    [{ inFlight: true, nextAttemptAt: later }, 'd.nextAttemptAt: expected one while it waits, else null.'],
    [{ attempts: 9, lastAttemptAt: 0 }, 'd.attempts: expected at most 8, none left over.'],
    [
      { status: 'DELIVERED', inFlight: false, nextAttemptAt: null, attempts: 0, deliveredAt: 0 },
      'd.attempts: expected one while it is DELIVERED.',
    ],
    [{ deliveredAt: 0 }, 'd.deliveredAt: expected one when DELIVERED.'],
    [{ lastAttemptAt: null, attempts: 1 }, 'd.lastAttemptAt: expected one after an attempt.'],
    [
      {
        inFlight: false,
        nextAttemptAt: later,
        faults: [{ id: 'f', action: 'duplicate', status: null, delayMs: null, copies: 1 }],
      },
      'd.faults: expected none without an attempt in flight.',
    ],
    [{ createdAt: later }, 'd: expected instants that have come.'],
    [{ log: [ended(0)] }, 'd.log[0].number: expected attempts in order that have ended.'],
    [
      { inFlight: true, attempts: 2, lastAttemptAt: 0, log: [ended(1), ended(1)] },
      'd.log[1].number: expected attempts in order that have ended.',
    ],
    [
      { inFlight: true, attempts: 2, lastAttemptAt: 0, log: [ended(1), ended(2)] },
      'd.log[1].number: expected attempts in order that have ended.',
    ],
    [
      { inFlight: true, attempts: 2, lastAttemptAt: 0, log: [{ ...ended(1), startedAt: later }] },
      'd.log[0].startedAt: expected an instant that has come.',
    ],
  ]),
  ...broken('session', (row) => checks.checkSession(world, row, 's'), session, [
    [{ createdAt: later, expiresAt: later }, 's.createdAt: expected an instant that has come.'],
    [{ readableAt: 0 }, 's.readableAt: expected one with a decision.'],
    [{ status: 'approved', euid: 'x' }, 's.decidedAt: expected one when it is approved.'],
    [{ decidedAt: 0, readableAt: 0 }, `s.decidedAt: expected null while it is ${session.status}.`],
    [
      { status: 'rejected', decidedAt: later, readableAt: later },
      's.decidedAt: expected an instant that has come.',
    ],
    [{ status: 'rejected', decidedAt: 1, readableAt: 0 }, 's.decidedAt: expected an instant that has come.'],
    [{ status: 'approved', decidedAt: 0, readableAt: 0 }, 's.euid: expected one when it is approved.'],
    [{ euid: 'x' }, 's.euid: expected one when it is approved.'],
    [
      { status: 'rejected', decidedAt: 0, readableAt: 0, error: 'CAMERA_DENIED' },
      's.error: expected null when it is rejected.',
    ],
  ]),
];

test.each(TABLE)('%s', (message, check) => {
  const refusal = refusalOf('no mistake', check);
  expect(message.startsWith(refusal)).toBe(true);
});
