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
    const test = new TestWorld();
    const session = addSession(test);
    const seen = (passedMs: number) => getVisibleStatus(session, START_MS + passedMs);
    expect([seen(0), seen(1_800_000)]).toEqual(['CREATED', 'expired']);
    test.do({ type: 'session.decide', sessionId: session.id, status: 'under_review', delayMs: 5 });
    expect([seen(4), seen(5), seen(1_800_000)]).toEqual(['IN_PROGRESS', 'under_review', 'under_review']);
    test.pass(5);
    test.do({ type: 'session.decide', sessionId: session.id, status: 'rejected', delayMs: 5 });
    expect([seen(9), seen(10)]).toEqual(['under_review', 'rejected']);
  });
});

const KEY = 'key-0123456789abcdef';

function decide(test: TestWorld, sessionId: string, decision: DecisionInput) {
  return test.do({ type: 'session.decide', sessionId, ...decision });
}

/** What a partner's server reads now: the result, or the code of the refusal. */
function read(test: TestWorld, id: string) {
  try {
    return readSessionResult(test.world, id, test.now);
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('a session', () => {
  test('starts undecided and lasts half an hour', () => {
    const test = new TestWorld();
    const session = addSession(test, { customerType: 'business' });
    expect(session).toEqual({
      ordinal: 0,
      id: 'kyc_session_0',
      organizationId: firstOrganization(test).id,
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
    expect(read(test, session.id)).toBe('NOT_TERMINAL');
    expect(test.effects.at(-1)).toEqual({ type: 'session', session, from: null, to: 'CREATED' });
  });

  test('a session is not created while identity is off', () => {
    const test = new TestWorld({ kycEnabled: false });
    expect(test.refuse(newSession(test)).code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('an idempotency key', () => {
  test('returns the current session for the same body', () => {
    const test = new TestWorld();
    const first = test.do(newSession(test, { idempotencyKey: KEY }));
    decide(test, first.session.id, { status: 'approved' });
    const again = test.do(newSession(test, { idempotencyKey: KEY, sessionId: 'another' }));
    expect([first.created, again.created]).toEqual([true, false]);
    expect(again.session).toBe(first.session);
    expect(test.world.sessions.rows).toHaveLength(1);
  });

  test('an idempotency key is rejected for another body, and accepted for another organization', () => {
    const test = new TestWorld();
    const { id } = addSession(test, { idempotencyKey: KEY });
    const refusal = test.refuse(newSession(test, { idempotencyKey: KEY, customerType: 'business' }));
    expect(refusal).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(refusal.details).toEqual([{ field: 'customerType', message: 'Was individual with this key.' }]);
    const organizationId = otherOrganization(test, 'other').id;
    expect(addSession(test, { idempotencyKey: KEY, organizationId }).id).not.toBe(id);
  });
});

describe('the start of a session', () => {
  test('stores the person, and allows corrections', () => {
    const test = new TestWorld();
    const { id } = addSession(test);
    const begun = test.do({ type: 'session.begin', sessionId: id, name: 'Ana', document: '529.982.247-25' });
    expect(begun).toMatchObject({ status: 'IN_PROGRESS', name: 'Ana', document: CPF });
    test.do({ type: 'session.begin', sessionId: id, document: '11.222.333/0001-81' });
    expect(begun).toMatchObject({ status: 'IN_PROGRESS', name: 'Ana', document: CNPJ });
    expect(read(test, id)).toBe('NOT_TERMINAL');
  });
});

describe('a decision', () => {
  test.each(SESSION_DECISIONS)('a decision of %s is readable immediately', (status) => {
    const test = new TestWorld();
    for (const begins of [false, true]) {
      const { id } = addSession(test);
      if (begins) test.do({ type: 'session.begin', sessionId: id });
      const session = decide(test, id, { status });
      expect(session).toMatchObject({ status, decidedAt: START_MS, readableAt: START_MS });
      expect(/^euid_[0-9a-f]{32}$/.test(session.euid ?? '')).toBe(status === 'approved');
      expect(read(test, id)).toEqual({ sessionId: id, status, euid: session.euid });
    }
  });
});

describe('a delayed decision', () => {
  test('a delayed decision is made immediately and readable exactly after the delay', () => {
    const test = new TestWorld();
    const { id } = addSession(test);
    expect(decide(test, id, { status: 'approved', delayMs: 2_000 })).toMatchObject({
      status: 'approved',
      decidedAt: START_MS,
      readableAt: START_MS + 2_000,
    });
    test.pass(1_999);
    expect(read(test, id)).toBe('NOT_TERMINAL');
    expect(nextAgendaItem(test.world)).toMatchObject({ at: START_MS + 2_000 });
    test.effects.length = 0;
    test.pass(1);
    expect(read(test, id)).toMatchObject({ status: 'approved' });
    expect(test.effects).toMatchObject([
      { type: 'due', at: START_MS + 2_000, kind: 'session.decide' },
      { type: 'session', session: { id }, from: 'approved', to: 'approved' },
    ]);
    expect(nextAgendaItem(test.world)).toBeUndefined();
  });

  test('blocks a second one', () => {
    const test = new TestWorld();
    const { id } = addSession(test);
    decide(test, id, { status: 'under_review', delayMs: 2_000 });
    const second = { type: 'session.decide', sessionId: id, status: 'approved' } as const;
    expect(test.refuse(second)).toMatchObject({
      code: 'INVALID_TRANSITION',
      message: expect.stringContaining('already decided'),
    });
    test.pass(1_999);
    expect(test.refuse(second).code).toBe('INVALID_TRANSITION');
    test.pass(1);
    expect(test.do(second).status).toBe('approved');
  });

  test('a delayed decision after a review leaves the review readable meanwhile', () => {
    const test = new TestWorld();
    const { id } = addSession(test);
    decide(test, id, { status: 'under_review' });
    decide(test, id, { status: 'approved', delayMs: 1 });
    expect(read(test, id)).toEqual({ sessionId: id, status: 'under_review', euid: null });
    test.pass(1);
    expect(read(test, id)).toMatchObject({ status: 'approved', euid: expect.any(String) });
  });
});

describe('an error', () => {
  test('leaves the session undecided until somebody tries again or decides', () => {
    const test = new TestWorld();
    const session = addSession(test);
    decide(test, session.id, { error: 'CAMERA_DENIED' });
    expect(session).toMatchObject({ status: 'CREATED', error: 'CAMERA_DENIED', decidedAt: null });
    expect(read(test, session.id)).toBe('NOT_TERMINAL');
    test.do({ type: 'session.begin', sessionId: session.id });
    expect(session).toMatchObject({ status: 'IN_PROGRESS', error: null });
    decide(test, session.id, { error: 'CAMERA_DENIED' });
    decide(test, session.id, { status: 'approved' });
    expect(session).toMatchObject({ status: 'approved', error: null });
    const after = { type: 'session.decide', sessionId: session.id, error: 'CAMERA_DENIED' } as const;
    expect(test.refuse(after).code).toBe('INVALID_TRANSITION');
  });
});

describe('a session without a decision', () => {
  test('expires exactly at its end and responds with 410', () => {
    const test = new TestWorld();
    const session = addSession(test);
    test.pass(SESSION_LIFETIME_MS - 1);
    expect(read(test, session.id)).toBe('NOT_TERMINAL');
    test.pass(1);
    expect(session).toMatchObject({ status: 'expired', decidedAt: null, readableAt: null });
    expect(read(test, session.id)).toBe('SESSION_EXPIRED');
    const late = { type: 'session.decide', sessionId: session.id, status: 'approved' } as const;
    expect(test.refuse(late).code).toBe('INVALID_TRANSITION');
    expect(test.refuse({ type: 'session.begin', sessionId: session.id }).code).toBe('INVALID_TRANSITION');
  });

  test('responds as expired if assumed, like any decision that is expired', () => {
    const test = new TestWorld({ assume: { 'session.lapsed_result': '200', 'session.lifetime': '1m' } });
    const { id } = addSession(test);
    test.pass(60_000);
    expect(read(test, id)).toEqual({ sessionId: id, status: 'expired', euid: null });
  });
});

describe('a euid', () => {
  const euidOf = (test: TestWorld, document: string | undefined, customerType: 'individual' | 'business') => {
    const { id } = addSession(test, { customerType });
    return decide(test, id, { status: 'approved', document }).euid ?? '';
  };

  test('a euid is stable for a person, however the document is formatted', () => {
    const test = new TestWorld();
    const first = euidOf(test, CPF, 'individual');
    test.pass(SESSION_LIFETIME_MS);
    expect(euidOf(test, '529.982.247-25', 'individual')).toBe(first);
    expect(euidOf(new TestWorld(), CPF, 'individual')).toBe(first);
    expect(euidOf(new TestWorld({ seed: 'other' }), CPF, 'individual')).not.toBe(first);
    expect(first.length).toBeLessThanOrEqual(64);
  });

  test('differs by customer type, by document, and whenever there is no document', () => {
    const test = new TestWorld();
    const euids = [
      euidOf(test, CPF, 'individual'),
      euidOf(test, CPF, 'business'),
      euidOf(test, CNPJ, 'business'),
      euidOf(test, undefined, 'individual'),
      euidOf(test, undefined, 'individual'),
    ];
    expect(new Set(euids).size).toBe(euids.length);
  });

  test('prefers the document of the decision to that of the person', () => {
    const test = new TestWorld();
    const { id } = addSession(test);
    test.do({ type: 'session.begin', sessionId: id, document: CPF });
    const byPerson = decide(test, id, { status: 'approved' }).euid;
    expect(byPerson).toBe(euidOf(test, CPF, 'individual'));
    const other = addSession(test);
    test.do({ type: 'session.begin', sessionId: other.id, document: CPF });
    expect(decide(test, other.id, { status: 'approved', document: CNPJ }).euid).not.toBe(byPerson);
    expect(other.document).toBe(CNPJ);
  });
});

describe('automatically decided sessions', () => {
  test('automatically decided sessions are decided on creation, and readable after the delay', () => {
    const test = new TestWorld({ kycAuto: { status: 'approved', delayMs: 2_000 } });
    const { id } = addSession(test);
    test.pass(1_999);
    expect(read(test, id)).toBe('NOT_TERMINAL');
    test.pass(1);
    expect(read(test, id)).toMatchObject({ status: 'approved', euid: expect.any(String) });
  });
});

describe('session lookup', () => {
  test('finds one by its id, and reports one of another organization as unknown', () => {
    const test = new TestWorld();
    const session = addSession(test);
    const own = firstOrganization(test).id;
    const foreign = otherOrganization(test, 'other').id;
    expect(findSession(test.world, session.id)).toBe(session);
    expect(findSession(test.world, session.id, own)).toBe(session);
    const unknown = thrownBy(() => findSession(test.world, 'none', own), Refusal);
    const others = thrownBy(() => findSession(test.world, session.id, foreign), Refusal);
    expect([others.code, others.message]).toEqual(['NOT_FOUND', unknown.message]);
    expect(thrownBy(() => findSession(test.world, session.id.slice(0, -1), own), Refusal).code).toBe(
      'NOT_FOUND',
    );
  });
});
