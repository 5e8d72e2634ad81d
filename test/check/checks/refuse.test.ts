import { expect, test } from 'vitest';
import type { FetchTarget } from '../../../src/check/check.js';
import { runChecks } from '../../../src/check/engine.js';
import { smallShop } from '../../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;

async function oldWith(toleranceS: number) {
  const { checks } = await runChecks({
    to: smallShop(SECRET, { toleranceS }),
    secret: SECRET,
    only: ['refuse.old'],
  });
  return checks[0];
}

test.each([
  [1_200, 'pass', 'between 10 min and 1 h', 'the age is not checked'],
  [7_200, 'fail', 'between 1 h and 1 d', 'the tolerance is too large, or is compared in another unit'],
  [172_800, 'fail', 'between 1 d and 4 d', 'the tolerance is too large, or is compared in another unit'],
  [10_000_000, 'fail', 'at least 4 d', 'the age is not checked'],
])('refuse.old names a tolerance of %i s', async (toleranceS, verdict, range, likely) => {
  expect(await oldWith(toleranceS)).toMatchObject({
    verdict,
    likely,
    got: expect.stringContaining(`accepts signatures up to ${range} old`),
  });
});

test('refuse.old names no tolerance when all ages are refused', async () => {
  expect(await oldWith(300)).toMatchObject({ verdict: 'pass', got: '400 "No."' });
});

/** A shop that responds 200 to everything, and applies what `isApplied` says and what is signed. */
function polite(isApplied: (request: Request, body: string) => boolean) {
  const [careful, careless] = [smallShop(SECRET), smallShop(SECRET, { verifies: false })];
  const to: FetchTarget = {
    fetch: async (request) => {
      const body = await request.clone().text();
      const copy = request.clone();
      const response = await careful.fetch(request);
      if (response.status === 400 && isApplied(copy, body)) await careless.fetch(copy);
      return new Response('OK');
    },
  };
  const probe: typeof careful.probe = async (subject) =>
    `${await careful.probe(subject)}\n${await careless.probe(subject)}`;
  return { to, probe };
}

const REFUSALS = ['refuse.unsigned', 'refuse.secret', 'refuse.body', 'refuse.empty'];

async function verdictsOf(shop: ReturnType<typeof polite>) {
  const { checks } = await runChecks({ ...shop, secret: SECRET, only: REFUSALS });
  return new Map(checks.map((check) => [check.id, check]));
}

test('a forgery with a 2xx and no effect is named so, and gates the others by that reason', async () => {
  const checks = await verdictsOf(polite(() => false));
  for (const id of ['refuse.unsigned', 'refuse.secret']) {
    expect(checks.get(id)).toMatchObject({
      verdict: 'fail',
      got: '200 "OK"; it responds 200 to a forgery but does not apply it',
      fix: 'respond 401 or 400, so that the sender notices',
    });
  }
  expect(checks.get('refuse.body')).toMatchObject({
    verdict: 'gated',
    reason: 'refuse.secret failed: forgeries get a 2xx, although they are not applied',
  });
});

test('a forgery that is applied is not gated by forgeries without an effect', async () => {
  const checks = await verdictsOf(polite((_, body) => body.includes('"900.00"')));
  expect(checks.get('refuse.secret')).toMatchObject({ verdict: 'fail', isApplied: false });
  expect(checks.get('refuse.body')).toMatchObject({
    verdict: 'fail',
    got: expect.stringContaining('the order changed'),
  });
  expect(checks.get('refuse.empty')?.verdict).toBe('gated');
});
