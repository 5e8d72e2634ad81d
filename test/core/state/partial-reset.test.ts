import { expect, test } from 'vitest';
import { exportWorld } from '../../../src/core/state/export.js';
import { withoutSessions } from '../../../src/core/state/partial-reset.js';
import { addSession } from '../../helpers/core/sessions.js';
import { TestWorld } from '../../helpers/core/world.js';

test('a world without its sessions is otherwise the same, and can have new ones under the same keys', () => {
  const test = new TestWorld();
  const idempotencyKey = 'key-0123456789abcdef';
  test.charge();
  test.endpoint();
  const [delivery] = test.announce();
  if (delivery !== undefined) test.answer(delivery, 500);
  const { id: sessionId } = addSession(test, { idempotencyKey });
  test.do({ type: 'session.decide', sessionId, status: 'approved', delayMs: 1_000 });
  const { agenda, sessions, ...rest } = exportWorld(test.world);
  expect(sessions).toHaveLength(1);
  const without = withoutSessions(test.world);
  expect(exportWorld(without)).toEqual({
    ...rest,
    sessions: [],
    agenda: agenda.filter(({ kind }) => kind !== 'session.decide' && kind !== 'session.lapse'),
  });
  expect(without.organizations.rows.map(({ sessionsByKey }) => sessionsByKey.size)).toEqual([0]);
  expect(without.organizations.byId.get(test.app.organizationId)).toBe(without.organizations.rows[0]);
});
