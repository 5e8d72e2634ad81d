import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import { Refusal } from '../../src/contract/refusals.js';
import {
  describeEvent,
  CHARGE_STATUSES,
  checkMove,
  listMoveNames,
  listMoves,
  SESSION_STATUSES,
  listStatusesBefore,
  WITHDRAWAL_STATUSES,
} from '../../src/contract/transitions.js';
import { thrownBy } from '../helpers/thrown-by.js';

/** Every move that §3 and the design allow, written down once more so that a changed table is noticed. */
const ALLOWED = {
  charge: { PENDING: ['settle', 'fail', 'expire'], EXPIRED: ['settle'], SETTLED: [], FAILED: [] },
  withdrawal: {
    PENDING: ['process', 'settle', 'fail'],
    PROCESSING: ['settle', 'fail'],
    SETTLED: ['return'],
    FAILED: [],
  },
  session: {
    CREATED: ['begin', 'under_review', 'approved', 'rejected', 'cancelled', 'expired'],
    IN_PROGRESS: ['begin', 'under_review', 'approved', 'rejected', 'cancelled', 'expired'],
    under_review: ['approved', 'rejected'],
    approved: [],
    rejected: [],
    cancelled: [],
    expired: [],
  },
} as const;

const STATUSES = { charge: CHARGE_STATUSES, withdrawal: WITHDRAWAL_STATUSES, session: SESSION_STATUSES };

describe.each(['charge', 'withdrawal', 'session'] as const)('the moves of a %s', (machine) => {
  test('moves are those of the contract, from each status', () => {
    const moves = Object.fromEntries(STATUSES[machine].map((status) => [status, listMoves(machine, status)]));
    expect(moves).toEqual(ALLOWED[machine]);
  });

  test.each(STATUSES[machine])('moves from %s are rejected unless they are listed', (status) => {
    const others = listMoveNames(machine).filter((name) => !listMoves(machine, status).includes(name));
    const refused = `A ${machine} with status ${status} cannot become `;
    for (const name of others) expect(() => checkMove(machine, name, status)).toThrow(refused);
  });
});

test('a rejected move has its code and the hint of the caller, or names the correct move', () => {
  const check = () => checkMove('charge', 'settle', 'FAILED', 'Make a new charge.');
  expect(thrownBy(check, Refusal)).toMatchObject({ code: 'INVALID_TRANSITION', hint: 'Make a new charge.' });
  const fail = () => checkMove('withdrawal', 'fail', 'SETTLED', 'no');
  expect(thrownBy(fail, Refusal).hint).toBe('Use return instead of fail.');
});

test('an event names its payment, its moves and the resulting status', () => {
  const found = EVENT_TYPES.map((type) => describeEvent(type));
  expect(found.map(({ kind, moves, status }) => `${kind} ${moves.join()} ${status}`)).toEqual([
    'charge settle SETTLED',
    'charge fail FAILED',
    'charge expire EXPIRED',
    'withdrawal settle SETTLED',
    'withdrawal fail,return FAILED',
  ]);
  expect(describeEvent('withdrawal.failed').label).toBe(
    'the withdrawal fails, or the bank returns the withdrawal',
  );
  expect(listStatusesBefore('withdrawal', ['settle'])).toEqual(['PROCESSING', 'PENDING']);
});
