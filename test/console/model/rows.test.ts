import { expect, onTestFinished, test } from 'vitest';
import { filterOf } from '../../../src/console/model/filter.js';
import { Lines } from '../../../src/console/model/lines.js';
import { attemptsOf, outcomeOf, pageOfLine } from '../../../src/console/model/rows.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';
import { clientOf, storiesOf } from '../../helpers/console/console.js';

test('a delivery that was retried by hand has the attempt, and shows how it ended', async () => {
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  const client = clientOf(sandbox);
  await client.post('receiver', { body: { answer: 500 } });
  await client.post('trigger', { body: { type: 'pix.settled' } });
  await client.post('clock/advance', { body: { by: '45h' } });
  await client.post('receiver', { body: { answer: 200 } });
  await client.post('deliveries/retry', { body: {} });
  await sandbox.idle();
  const stories = await storiesOf(client);
  const rows = new Lines().rows(stories, {
    ...filterOf('', 0),
    upTo: Infinity,
    closed: new Set(),
  });
  const deliveries = rows.map(({ step }) => step).filter(({ entry }) => entry.kind === 'delivery');
  expect(
    deliveries.map((step) => [
      step.parent?.entry.kind,
      outcomeOf(stories, step).text,
      attemptsOf(stories, step).length,
    ]),
  ).toEqual([
    ['command', 'DELIVERED', 1],
    ['event', 'DELIVERED', 9],
  ]);
});

test('the first line of a trigger opens the story of what it led to', async () => {
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  const client = clientOf(sandbox);
  const { events } = await client.post('trigger', { body: { type: 'pix.settled' } });
  const { roots } = await storiesOf(client);
  const pages = roots.map((step) => [step.entry.title, pageOfLine(step)]);
  expect(pages.at(-1)).toEqual(['trigger pix.settled', `/charges/${events[0]?.resource.id}#story`]);
  expect(pages[0]).toEqual(['started', undefined]);
});
