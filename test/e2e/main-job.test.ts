import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** What `trigger` prints of an event that one receiver took. */
function delivered(type: string, to: string): RegExp {
  const kind = type.startsWith('pix.') ? 'charge' : 'withdrawal';
  return new RegExp(
    `^${type}  evt_[0-9a-f]{32}  ${kind} \\S+ \\(${UUID}\\)\n` +
      `  DELIVERED  200 in \\d+ ms  → ${to.replaceAll(/[.?]/g, '\\$&')}\n` +
      `    delivery ${UUID}${type === 'pix.expired' ? `\npay page  http\\S+/pay/${UUID}` : ''}$`,
  );
}

describe('start, listen and trigger', () => {
  test('start, listen and trigger deliver every event to the application, signed', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    await using app = await App.start(sandbox.env('SANDBOX_WEBHOOK_SECRET'));
    await using listener = await project.listen(['--forward-to', app.url]);
    for (const type of EVENT_TYPES) {
      const triggered = await project.run(['trigger', type]);
      expect(triggered).toMatchObject({ exitCode: 0, stderr: '' });
      expect(triggered.stdout).toMatch(delivered(type, `listener → ${app.url}`));
      const { id } = app.hooks.at(-1) ?? {};
      expect(await listener.stdout.next(type)).toMatch(
        new RegExp(`^\\d\\d:\\d\\d:\\d\\d 200 ${type.padEnd(18)} +\\d+ ms  ${id}  ✓ signed  attempt 1$`),
      );
    }
    expect(app.refusals).toEqual([]);
    expect(listener.stdout.text() + listener.stderr.text()).not.toContain(app.secret);
    expect(app.hooks.map(({ type }) => type)).toEqual(EVENT_TYPES);
    expect(app.hooks[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^PixSandbox-Webhooks\/\d/),
    });
  });
});
