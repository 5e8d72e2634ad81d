import { expect, test } from 'vitest';
import { failureOf, runFresh } from '../helpers/scenario/scenarios.js';

test('a reason shows no secret and no session id', async () => {
  const outcome = await runFresh({
    sandbox: { allow_local_endpoints: true },
    steps: [
      { create: { session: {} }, as: 'session' },
      {
        call: {
          method: 'POST',
          path: '/api/public/v1/webhook-endpoints',
          body: { url: 'http://127.0.0.1:9/', events: ['pix.settled'] },
          expect: { body: { secret: 'another', url: '${session.sessionId}' } },
        },
      },
    ],
  });
  const reasons = failureOf(outcome)?.join('\n') ?? '';
  expect(reasons).toContain('body.secret is "whsec_…", expected "another"');
  expect(reasons).toMatch(/expected "kyc_[0-9a-f]{8}…"/);
});
