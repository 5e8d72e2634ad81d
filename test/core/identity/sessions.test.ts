import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import { nextAgendaItem } from '../../../src/core/due.js';
import { shortenSessionIds, shortenSessionId, getVisibleStatus } from '../../../src/core/identity/session.js';
import { type DecisionInput, findSession, readSessionResult } from '../../../src/core/identity/sessions.js';
import {
  addSession,
  CNPJ,
  CPF,
  firstOrganization,
  newSession,
  otherOrganization,
  SESSION_LIFETIME_MS,
} from '../../helpers/core/sessions.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const ID = 'kyc_0123456789abcdef0123456789abcdef01234567';
const SHORT = 'kyc_01234567…';

describe('the id of a session in a log', () => {
  test('the id of a session in a log is shortened', () => {
    expect(shortenSessionId(ID)).toBe(SHORT);
    expect(shortenSessionId('kyc_01234567')).toBe('kyc_01234567');
  });

  test.each([
    [`/api/v1/kyc/sessions/${ID}/result`, `/api/v1/kyc/sessions/${SHORT}/result`],
    [`/session/${ID}?lang=pt`, `/session/${SHORT}?lang=pt`],
    [`/kyc/${ID}?id=${ID}`, `/kyc/${SHORT}?id=${SHORT}`],
    ['/sessions/%6b%79%63_0123456789abcdef', '/sessions/%6b%79%63_01…'],
    ['/api/v1/kyc/sessions', '/api/v1/kyc/sessions'],
    ['/api/public/v1/pix?code=kyc', '/api/public/v1/pix?code=kyc'],
  ])('the id of a session in a log is shortened in %s', (target, shown) => {
    expect(shortenSessionIds(target)).toBe(shown);
  });
});

describe('the public view of a session', () => {
  test('shows its state, and nothing of a decision before it is readable', () => {
    const testWorld = new TestWorld();
    const session = addSession(testWorld);
    const seen = (passedMs: number) => getVisibleStatus(session, START_MS + passedMs);
    expect([seen(0), seen(1_800_000)]).toEqual(['CREATED', 'expired']);
    testWorld.do({ type: 'session.decide', sessionId: session.id, status: 'under_review', delayMs: 5 });
    expect([seen(4), seen(5), seen(1_800_000)]).toEqual(['IN_PROGRESS', 'under_review', 'under_review']);
    testWorld.pass(5);
    testWorld.do({ type: 'session.decide', sessionId: session.id, status: 'rejected', delayMs: 5 });
    expect([seen(9), seen(10)]).toEqual(['under_review', 'rejected']);
  });
});

const KEY = 'key-0123456789abcdef';

function decide(testWorld: TestWorld, sessionId: string, decision: DecisionInput) {
  return testWorld.do({ type: 'session.decide', sessionId, ...decision });
}

/** What a partner's server reads now: the result, or the code of the refusal. */
function read(testWorld: TestWorld, id: string) {
  try {
    return readSessionResult(testWorld.world, id, testWorld.now);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('a session', () => {
  test('starts undecided and lasts half an hour', () => {
    const testWorld = new TestWorld();
    const session = addSession(testWorld, { customerType: 'business' });
    expect(session).toEqual({
      ordinal: 0,
      id: 'kyc_session_0',
      organizationId: firstOrganization(testWorld).id,
      customerType: 'business',
      idempotencyKey: null,
      embedOrigin: null,
      formToken: 'form-token',
      createdAt: START_MS,
      expiresAt: START_MS + SESSION_LIFETIME_MS,
      status: 'CREATED',
      name: null,
      document: null,
      euid: null,
      error: null,
      decidedAt: null,
      readableAt: null,
      wasReviewed: false,
    });
    expect(read(testWorld, session.id)).toBe('NOT_TERMINAL');
    expect(testWorld.effects.at(-1)).toEqual({ type: 'session', session, from: null, to: 'CREATED' });
  });

  test('a session is not created while identity is off', () => {
    const testWorld = new TestWorld({ kycEnabled: false });
    expect(testWorld.refuse(newSession(testWorld)).code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('an idempotency key', () => {
  test('returns the current session for the same body', () => {
    const testWorld = new TestWorld();
    const first = testWorld.do(newSession(testWorld, { idempotencyKey: KEY }));
    decide(testWorld, first.session.id, { status: 'approved' });
    const again = testWorld.do(newSession(testWorld, { idempotencyKey: KEY, sessionId: 'another' }));
    expect([first.created, again.created]).toEqual([true, false]);
    expect(again.session).toBe(first.session);
    expect(testWorld.world.sessions.rows).toHaveLength(1);
  });

  test('an idempotency key is rejected for another body, and accepted for another organization', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld, { idempotencyKey: KEY });
    const refusal = testWorld.refuse(
      newSession(testWorld, { idempotencyKey: KEY, customerType: 'business' }),
    );
    expect(refusal).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(refusal.details).toEqual([
      { field: 'customerType', message: 'Must be individual, as in the earlier request.' },
    ]);
    const organizationId = otherOrganization(testWorld, 'other').id;
    expect(addSession(testWorld, { idempotencyKey: KEY, organizationId }).id).not.toBe(id);
  });
});

describe('the start of a session', () => {
  test('stores the person, and allows corrections', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld);
    const begun = testWorld.do({
      type: 'session.begin',
      sessionId: id,
      name: 'Ana',
      document: '529.982.247-25',
    });
    expect(begun).toMatchObject({ status: 'IN_PROGRESS', name: 'Ana', document: CPF });
    testWorld.do({ type: 'session.begin', sessionId: id, document: '11.222.333/0001-81' });
    expect(begun).toMatchObject({ status: 'IN_PROGRESS', name: 'Ana', document: CNPJ });
    expect(read(testWorld, id)).toBe('NOT_TERMINAL');
  });
});

describe('a decision', () => {
  test.each(SESSION_DECISIONS)('a decision of %s is readable immediately', (status) => {
    const testWorld = new TestWorld();
    for (const begins of [false, true]) {
      const { id } = addSession(testWorld);
      if (begins) testWorld.do({ type: 'session.begin', sessionId: id });
      const session = decide(testWorld, id, { status });
      expect(session).toMatchObject({ status, decidedAt: START_MS, readableAt: START_MS });
      expect(/^euid_[0-9a-f]{32}$/.test(session.euid ?? '')).toBe(status === 'approved');
      expect(read(testWorld, id)).toEqual({ sessionId: id, status, euid: session.euid });
    }
  });
});

describe('a delayed decision', () => {
  test('a delayed decision is made immediately and readable exactly after the delay', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld);
    expect(decide(testWorld, id, { status: 'approved', delayMs: 2_000 })).toMatchObject({
      status: 'approved',
      decidedAt: START_MS,
      readableAt: START_MS + 2_000,
    });
    testWorld.pass(1_999);
    expect(read(testWorld, id)).toBe('NOT_TERMINAL');
    expect(nextAgendaItem(testWorld.world)).toMatchObject({ at: START_MS + 2_000 });
    testWorld.effects.length = 0;
    testWorld.pass(1);
    expect(read(testWorld, id)).toMatchObject({ status: 'approved' });
    expect(testWorld.effects).toMatchObject([
      { type: 'due', at: START_MS + 2_000, kind: 'session.decide' },
      { type: 'session', session: { id }, from: 'approved', to: 'approved' },
    ]);
    expect(nextAgendaItem(testWorld.world)).toBeUndefined();
  });

  test('blocks a second one', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld);
    decide(testWorld, id, { status: 'under_review', delayMs: 2_000 });
    const second = { type: 'session.decide', sessionId: id, status: 'approved' } as const;
    expect(testWorld.refuse(second)).toMatchObject({
      code: 'INVALID_TRANSITION',
      message: expect.stringContaining('already decided'),
    });
    testWorld.pass(1_999);
    expect(testWorld.refuse(second).code).toBe('INVALID_TRANSITION');
    testWorld.pass(1);
    expect(testWorld.do(second).status).toBe('approved');
  });

  test('a delayed decision after a review leaves the review readable meanwhile', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld);
    decide(testWorld, id, { status: 'under_review' });
    decide(testWorld, id, { status: 'approved', delayMs: 1 });
    expect(read(testWorld, id)).toEqual({ sessionId: id, status: 'under_review', euid: null });
    testWorld.pass(1);
    expect(read(testWorld, id)).toMatchObject({ status: 'approved', euid: expect.any(String) });
  });
});

describe('an error', () => {
  test('leaves the session undecided until somebody tries again or decides', () => {
    const testWorld = new TestWorld();
    const session = addSession(testWorld);
    decide(testWorld, session.id, { error: 'CAMERA_DENIED' });
    expect(session).toMatchObject({ status: 'CREATED', error: 'CAMERA_DENIED', decidedAt: null });
    expect(read(testWorld, session.id)).toBe('NOT_TERMINAL');
    testWorld.do({ type: 'session.begin', sessionId: session.id });
    expect(session).toMatchObject({ status: 'IN_PROGRESS', error: null });
    decide(testWorld, session.id, { error: 'CAMERA_DENIED' });
    decide(testWorld, session.id, { status: 'approved' });
    expect(session).toMatchObject({ status: 'approved', error: null });
    const after = { type: 'session.decide', sessionId: session.id, error: 'CAMERA_DENIED' } as const;
    expect(testWorld.refuse(after).code).toBe('INVALID_TRANSITION');
  });
});

describe('a session without a decision', () => {
  test('expires exactly at its end and responds with 410', () => {
    const testWorld = new TestWorld();
    const session = addSession(testWorld);
    testWorld.pass(SESSION_LIFETIME_MS - 1);
    expect(read(testWorld, session.id)).toBe('NOT_TERMINAL');
    testWorld.pass(1);
    expect(session).toMatchObject({ status: 'expired', decidedAt: null, readableAt: null });
    expect(read(testWorld, session.id)).toBe('SESSION_EXPIRED');
    const late = { type: 'session.decide', sessionId: session.id, status: 'approved' } as const;
    expect(testWorld.refuse(late).code).toBe('INVALID_TRANSITION');
    expect(testWorld.refuse({ type: 'session.begin', sessionId: session.id }).code).toBe(
      'INVALID_TRANSITION',
    );
  });

  test('responds as expired if assumed, like any decision that is expired', () => {
    const testWorld = new TestWorld({ assume: { 'session.lapsed_result': '200', 'session.lifetime': '1m' } });
    const { id } = addSession(testWorld);
    testWorld.pass(60_000);
    expect(read(testWorld, id)).toEqual({ sessionId: id, status: 'expired', euid: null });
  });
});

describe('a euid', () => {
  const euidOf = (
    testWorld: TestWorld,
    document: string | undefined,
    customerType: 'individual' | 'business',
  ) => {
    const { id } = addSession(testWorld, { customerType });
    return decide(testWorld, id, { status: 'approved', document }).euid ?? '';
  };

  test('a euid is stable for a person, however the document is formatted', () => {
    const testWorld = new TestWorld();
    const first = euidOf(testWorld, CPF, 'individual');
    testWorld.pass(SESSION_LIFETIME_MS);
    expect(euidOf(testWorld, '529.982.247-25', 'individual')).toBe(first);
    expect(euidOf(new TestWorld(), CPF, 'individual')).toBe(first);
    expect(euidOf(new TestWorld({ seed: 'other' }), CPF, 'individual')).not.toBe(first);
    expect(first.length).toBeLessThanOrEqual(64);
  });

  test('differs by customer type, by document, and whenever there is no document', () => {
    const testWorld = new TestWorld();
    const euids = [
      euidOf(testWorld, CPF, 'individual'),
      euidOf(testWorld, CPF, 'business'),
      euidOf(testWorld, CNPJ, 'business'),
      euidOf(testWorld, undefined, 'individual'),
      euidOf(testWorld, undefined, 'individual'),
    ];
    expect(new Set(euids).size).toBe(euids.length);
  });

  test('prefers the document of the decision to that of the person', () => {
    const testWorld = new TestWorld();
    const { id } = addSession(testWorld);
    testWorld.do({ type: 'session.begin', sessionId: id, document: CPF });
    const byPerson = decide(testWorld, id, { status: 'approved' }).euid;
    expect(byPerson).toBe(euidOf(testWorld, CPF, 'individual'));
    const other = addSession(testWorld);
    testWorld.do({ type: 'session.begin', sessionId: other.id, document: CPF });
    expect(decide(testWorld, other.id, { status: 'approved', document: CNPJ }).euid).not.toBe(byPerson);
    expect(other.document).toBe(CNPJ);
  });
});

describe('automatically decided sessions', () => {
  test('automatically decided sessions are decided on creation, and readable after the delay', () => {
    const testWorld = new TestWorld({ kycAuto: { status: 'approved', delayMs: 2_000 } });
    const { id } = addSession(testWorld);
    testWorld.pass(1_999);
    expect(read(testWorld, id)).toBe('NOT_TERMINAL');
    testWorld.pass(1);
    expect(read(testWorld, id)).toMatchObject({ status: 'approved', euid: expect.any(String) });
  });

  test('draw their delay from a distribution', () => {
    const draw = () => {
      const testWorld = new TestWorld({
        kycAuto: { status: 'approved', delayMs: { medianMs: 2e3, p99Ms: 9e3 } },
      });
      return Array.from({ length: 8 }, () => Number(addSession(testWorld).readableAt) - testWorld.now);
    };
    expect(draw()).toEqual(draw());
    expect(new Set(draw()).size).toBe(8);
  });
});

describe('session lookup', () => {
  test('finds one by its id, and reports one of another organization as unknown', () => {
    const testWorld = new TestWorld();
    const session = addSession(testWorld);
    const own = firstOrganization(testWorld).id;
    const foreign = otherOrganization(testWorld, 'other').id;
    expect(findSession(testWorld.world, session.id)).toBe(session);
    expect(findSession(testWorld.world, session.id, own)).toBe(session);
    const unknown = thrownBy(() => findSession(testWorld.world, 'none', own), Refusal);
    const others = thrownBy(() => findSession(testWorld.world, session.id, foreign), Refusal);
    expect([others.code, others.message]).toEqual(['NOT_FOUND', unknown.message]);
    expect(thrownBy(() => findSession(testWorld.world, session.id.slice(0, -1), own), Refusal).code).toBe(
      'NOT_FOUND',
    );
  });
});
