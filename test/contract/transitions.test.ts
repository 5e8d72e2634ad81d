import { describe, expect, test } from 'vitest';
import { Refusal } from '../../src/contract/refusals.js';
import {
  CHARGE_STATUSES,
  checkTransition,
  DELIVERY_STATUSES,
  TRANSITIONS,
  WITHDRAWAL_STATUSES,
} from '../../src/contract/transitions.js';
import { thrownBy } from '../helpers/thrown-by.js';

/** Every step that §3 and the design allow, written down once more so that a changed table is noticed. */
const ALLOWED = {
  charge: ['PENDING>SETTLED', 'PENDING>FAILED', 'PENDING>EXPIRED', 'EXPIRED>SETTLED'],
  withdrawal: [
    'PENDING>PROCESSING',
    'PENDING>FAILED',
    'PROCESSING>SETTLED',
    'PROCESSING>FAILED',
    'SETTLED>FAILED',
  ],
  delivery: ['PENDING>DELIVERED', 'PENDING>FAILED', 'FAILED>PENDING'],
} as const;

describe.each([
  ['charge', CHARGE_STATUSES],
  ['withdrawal', WITHDRAWAL_STATUSES],
  ['delivery', DELIVERY_STATUSES],
] as const)('the transitions of a %s', (machine, statuses) => {
  const allowed: readonly string[] = ALLOWED[machine];
  const steps = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  const isAllowed = ([from, to]: readonly [string, string]) => allowed.includes(`${from}>${to}`);

  test.each(steps.filter(isAllowed))('allow %s > %s', (from, to) => {
    expect(() => checkTransition(machine, from as never, to as never)).not.toThrow();
  });

  test.each(steps.filter((step) => !isAllowed(step)))('refuse %s > %s', (from, to) => {
    expect(() => checkTransition(machine, from as never, to as never)).toThrow(
      `A ${machine} that is ${from} cannot become ${to}.`,
    );
  });
});

describe('the transitions of a session', () => {
  test('end in a decision, except that a review is decided later', () => {
    const { session } = TRANSITIONS;
    const final = ['approved', 'rejected', 'cancelled', 'expired'] as const;
    for (const status of final) expect(session[status]).toEqual([]);
    expect(session.under_review).toEqual(['approved', 'rejected']);
    expect(session.CREATED).toEqual(['IN_PROGRESS', ...session.IN_PROGRESS]);
  });
});

describe('a refused transition', () => {
  test('has its code and the hint of the caller', () => {
    const check = () => checkTransition('charge', 'FAILED', 'SETTLED', 'Make a new charge.');
    expect(thrownBy(check, Refusal)).toMatchObject({
      code: 'INVALID_TRANSITION',
      hint: 'Make a new charge.',
    });
  });
});
