import { describe, expect, test } from 'vitest';
import { shortenSessionIds, shortSessionId, visibleStatus } from '../../../src/core/identity/session.js';
import { addSession } from '../../helpers/core/sessions.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

const ID = 'kyc_0123456789abcdef0123456789abcdef01234567';
const SHORT = 'kyc_01234567…';

describe('the id of a session in a log', () => {
  test('is shortened', () => {
    expect(shortSessionId(ID)).toBe(SHORT);
    expect(shortSessionId('kyc_01234567')).toBe('kyc_01234567');
  });

  test.each([
    [`/api/v1/kyc/sessions/${ID}/result`, `/api/v1/kyc/sessions/${SHORT}/result`],
    [`/session/${ID}?lang=pt`, `/session/${SHORT}?lang=pt`],
    [`/kyc/${ID}?id=${ID}`, `/kyc/${SHORT}?id=${SHORT}`],
    ['/sessions/%6b%79%63_0123456789abcdef', '/sessions/%6b%79%63_01…'],
    ['/api/v1/kyc/sessions', '/api/v1/kyc/sessions'],
    ['/api/public/v1/pix?code=kyc', '/api/public/v1/pix?code=kyc'],
  ])('is shortened in %s', (target, shown) => {
    expect(shortenSessionIds(target)).toBe(shown);
  });
});

describe('what others see of a session', () => {
  test('is its state, and of a decision nothing before it can be read', () => {
    const test = new TestWorld();
    const session = addSession(test);
    const seen = (passedMs: number) => visibleStatus(session, START_MS + passedMs);
    expect([seen(0), seen(1_800_000)]).toEqual(['CREATED', 'expired']);
    test.do({ type: 'session.decide', sessionId: session.id, status: 'under_review', delayMs: 5 });
    expect([seen(4), seen(5), seen(1_800_000)]).toEqual(['IN_PROGRESS', 'under_review', 'under_review']);
    test.pass(5);
    test.do({ type: 'session.decide', sessionId: session.id, status: 'rejected', delayMs: 5 });
    expect([seen(9), seen(10)]).toEqual(['under_review', 'rejected']);
  });
});
