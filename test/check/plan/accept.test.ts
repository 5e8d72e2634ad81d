import { expect, test } from 'vitest';
import type { FetchTarget } from '../../../src/check/check.js';
import { runChecks } from '../../../src/check/engine.js';
import { fetchHandler } from '../../helpers/check/receivers/doors.js';
import { Stage } from '../../helpers/check/receivers/stage.js';

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
    got: expect.stringContaining('not as in a paid order: status'),
  });
});
