import { expect, test } from 'vitest';
import type { FetchTarget } from '../../../src/check/check.js';
import { runChecks } from '../../../src/check/engine.js';
import { fetchHandler, Stage } from '../../helpers/check/receivers/stage.js';
import { smallShop } from '../../helpers/check/small-shop.js';

const SECRET = `whsec_${Buffer.from('the secret of the small shop 0001').toString('base64')}`;

/** Checks a correct shop behind a handler that may respond first. */
async function resultBehind(only: string, first: (body: Buffer) => Response | undefined) {
  await using stage = await Stage.open();
  const shop = stage.shop();
  const options = stage.checkOptions(shop);
  const handler = fetchHandler(shop);
  const to: FetchTarget = {
    fetch: async (request) => {
      const body = Buffer.from(await request.clone().arrayBuffer());
      return first(body) ?? handler.fetch(request);
    },
  };
  const { checks } = await runChecks({ ...options, to, only: [only] });
  return checks[0];
}

test('accept.document fails when a 2xx leaves the order of the company unpaid', async () => {
  const result = await resultBehind('accept.document', (body) =>
    body.includes('12ABC34501DE35') ? new Response('OK') : undefined,
  );
  expect(result).toMatchObject({
    verdict: 'warn',
    got: expect.stringContaining('unlike a paid order: status'),
  });
});

test('accept.raw fails a receiver that decodes each chunk of the body separately', async () => {
  const shop = smallShop(SECRET);
  const to: FetchTarget = {
    fetch: async (request) => {
      let body = '';
      for await (const chunk of request.body ?? []) body += Buffer.from(chunk).toString();
      return shop.fetch(new Request(request.url, { method: 'POST', headers: request.headers, body }));
    },
  };
  const { checks } = await runChecks({ to, secret: SECRET, only: ['accept', 'refuse'] });
  const failed = checks.filter(({ verdict }) => verdict !== 'pass');
  expect(failed).toMatchObject([
    { id: 'accept.raw', verdict: 'fail', fix: 'concatenate all chunks before decoding them' },
  ]);
});
