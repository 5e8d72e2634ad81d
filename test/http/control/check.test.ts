import { expect, test } from 'vitest';
import { exportWorld } from '../../../src/core/state/export.js';
import { CHECKED } from '../../helpers/check/checked.js';
import { testApi } from '../../helpers/http/api-client.js';

test('the newest report is kept beside the state, and the timeline says that it came', async () => {
  const api = await testApi();
  expect((await api.control('GET', 'check')).body).toEqual({ report: null, received_at: null });
  const before = exportWorld(api.sandbox.world);
  await api.control('PUT', 'check', CHECKED);
  expect(exportWorld(api.sandbox.world)).toEqual(before);
  const { body } = await api.control('GET', 'check');
  expect(body).toEqual({ report: CHECKED, received_at: expect.stringMatching(/Z$/) });
  const newest = api.sandbox.timeline.ring.get(api.sandbox.timeline.ring.newest);
  expect(newest).toMatchObject({
    by: 'control',
    title: `check of http://localhost:3000/webhooks: ${CHECKED.headline}`,
    facts: { command: 'check' },
  });
  const later = { ...CHECKED, ok: true, checks: [], notes: ['Another.'] };
  await api.control('PUT', 'check', later);
  await api.control('POST', 'reset');
  expect((await api.control('GET', 'check')).body).toMatchObject({ report: later });
});

test('what is no report is refused, and the last one stays', async () => {
  const api = await testApi();
  await api.control('PUT', 'check', CHECKED);
  const [check] = CHECKED.checks;
  const wrong = { ...CHECKED, checks: [{ ...check, verdict: 'good' }], colour: 'red' };
  const { status, body } = await api.control('PUT', 'check', wrong);
  expect([status, body.error]).toMatchObject([
    400,
    { details: [{ field: 'checks[0].verdict' }, { field: 'colour' }] },
  ]);
  expect((await api.control('GET', 'check')).body).toMatchObject({ report: CHECKED });
});
