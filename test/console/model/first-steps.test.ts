import { expect, onTestFinished, test } from 'vitest';
import type { ControlClient } from '../../../src/client/control.js';
import type { Press, Progress } from '../../../src/console/model/first-steps.js';
import { deadLetterOf, progressOf, stepAction, STEPS } from '../../../src/console/model/first-steps.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';
import { clientOf, storiesOf } from '../../helpers/console/console.js';

async function readProgress(client: ControlClient): Promise<Progress> {
  return progressOf(await storiesOf(client), await client.get('receiver'));
}

test('the first steps lead from nothing to a retried dead letter by what is next', async () => {
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  const client = clientOf(sandbox);
  const pressed: Press[] = [];
  let progress = await readProgress(client);
  for (; progress.next !== undefined && pressed.length < 20; progress = await readProgress(client)) {
    pressed.push(progress.next);
    await stepAction(progress.next, progress)?.run(client);
    await sandbox.idle();
  }
  expect(pressed.join(' ')).toBe('turnOn pay failThrice pay advance retry');
  expect([...progress.done.keys()]).toEqual(STEPS);
  const eight = Array.from({ length: 8 }, () => '500');
  expect(Array.from(progress.done.values(), (course) => course?.statuses)).toEqual([
    undefined,
    ['200'],
    [...eight, '200'],
    [...eight, '200'],
  ]);
  expect(deadLetterOf(progress)).toBeUndefined();
});
