import { expect, test } from 'vitest';
import type { Answer, Exchange, Finding } from '../../src/check/check.js';
import { causeOf } from '../../src/check/judge.js';

const FAILED: Finding = { outcome: 'fails', sent: 'an event', got: '401' };

function exchangeWith(answer: Partial<Answer>): Exchange {
  const body = new Uint8Array();
  return {
    method: 'POST',
    url: 'http://localhost:3000/webhooks',
    headers: [],
    body,
    answer: { status: null, error: null, headers: [], body, ms: 1, ...answer },
  };
}

function causeAfter(id: string, ...answers: readonly Partial<Answer>[]) {
  return causeOf({ id }, FAILED, answers.map(exchangeWith));
}

const OK = { status: 200 };

test.each([
  ['dup.retimed', { status: 409 }, /refused as a conflict/, /2xx to a repeat/],
  ['dup.again', { error: 'TIMEOUT: No answer within 10000 ms.' }, /too late/, /respond, and work afterwards/],
  ['dup.again', { error: 'CONNECTION_RESET: closed' }, /ends the connection/, /log/],
  ['new.same-charge', { status: 409 }, /payment after the expiry/, /mark the expired order as paid/],
  ['order.returned', { status: 422 }, /return of a settled withdrawal/, /mark the withdrawal as failed/],
  [
    'order.expired-late',
    { status: 409 },
    /refuses an event for an order in another state/,
    /leave the order/,
  ],
  ['order.before-response', { status: 404 }, /does not know yet/, /store the order before/],
  ['mix.orders', { status: 401 }, /shared a variable/, /in its handler/],
  ['accept.types', { status: 401 }, /verification refuses it/, /raw body/],
  ['accept.skew', { status: 429 }, /rate limit/, /exempt/],
])('chooses the cause of %s by the response %o', (id, answer, likely, fix) => {
  const found = causeAfter(id, OK, answer, OK);
  expect(found).toEqual({ likely: expect.stringMatching(likely), fix: expect.stringMatching(fix) });
});

test.each([
  ['accept.types', { status: 400 }],
  ['accept.raw', { status: 401 }],
  ['refuse.secret', { status: 500 }],
  ['time.limit', { status: 500 }],
])('leaves the cause of %s after %o to the catalogue', (id, answer) => {
  expect(causeAfter(id, OK, answer)).toBeUndefined();
});

test('takes responses of 2xx, and connections that the check cut, for no refusal', () => {
  expect(causeAfter('dup.cut', { error: 'CUT' }, OK)).toBeUndefined();
});

test('prefers the cause that the check itself found, and a crash of the verification', () => {
  const own = { likely: 'the tolerance is an hour', fix: 'use 300 s' };
  const exchanges = [exchangeWith({ status: 401 })];
  expect(causeOf({ id: 'dup.again' }, { ...FAILED, ...own }, exchanges)).toEqual(own);
  expect(causeOf({ id: 'refuse.empty' }, { ...FAILED, hasCrashed: true }, exchanges)?.likely).toContain(
    'throws',
  );
});

test('gives no cause for what did not fail', () => {
  expect(
    causeOf({ id: 'dup.again' }, { ...FAILED, outcome: 'holds' }, [exchangeWith({ status: 409 })]),
  ).toBeUndefined();
});
