import { expect, test } from 'vitest';
import type { ControlClient } from '../../../src/client/control.js';
import type { StepAction, FirstStepsProgress } from '../../../src/console/model/first-steps.js';
import {
  getDeadLetter,
  computeProgress,
  createStepAction,
  FIRST_STEPS,
} from '../../../src/console/model/first-steps.js';
import { listAttempts, createHistory, listStates } from '../../../src/console/model/rows.js';
import { openSandbox, storiesOf } from '../../helpers/console/console.js';

test('the history of a charge contains its changes, its events and their deliveries', async () => {
  const { client } = await openSandbox();
  await client.post('receiver', { body: { answer: 500 } });
  await client.post('trigger', { body: { type: 'pix.settled', late: true, with: { code: 'order-1' } } });
  await client.post('clock/advance', { body: { by: '1m' } });
  await client.post('trigger', { body: { type: 'pix.settled', with: { code: 'other' } } });
  const { id } = await client.get('charges/:id', { id: 'order-1' });
  const histories = await storiesOf(client);
  const happened = createHistory(histories, id);
  expect(happened.map(({ step: { entry } }) => entry.event_type ?? entry.to)).toEqual([
    'PENDING',
    'EXPIRED',
    'pix.expired',
    'SETTLED',
    'pix.settled',
  ]);
  const [settled] = happened.at(-1)?.deliveries ?? [];
  if (settled === undefined) throw new Error('Expected a delivery.');
  expect(listStates(histories, settled)).toEqual(['PENDING']);
  expect(listAttempts(histories, settled).map(({ status }) => status)).toEqual([500, 500]);
});

test('a charge with the id of an earlier one before a reset has a separate history', async () => {
  const { client } = await openSandbox();
  const body = { amount: '5.00', code: 'order-1' };
  const { id } = await client.post('charges', { body });
  await client.post('charges/:id/settle', { id });
  await client.post('reset');
  expect((await client.post('charges', { body })).id).toBe(id);
  const happened = createHistory(await storiesOf(client), id);
  expect(happened.map(({ step: { entry } }) => entry.to)).toEqual(['PENDING']);
});

test('a history shows where a state was restored', async () => {
  const { client } = await openSandbox();
  const { id } = await client.post('charges', { body: { amount: '5.00', code: 'order-1' } });
  await client.post('state/snapshots', { body: { name: 'before' } });
  await client.post('charges/:id/settle', { id });
  await client.post('state/snapshots/:name/restore', { name: 'before' });
  const titles = createHistory(await storiesOf(client), id).map(({ step: { entry } }) => entry.title);
  expect(titles).toEqual([
    'charge order-1 PENDING',
    'charge order-1 PENDING → SETTLED',
    'pix.settled of order-1',
    'restored before',
  ]);
});

const NO_RECEIVER = { isReady: false, isBroken: false };

async function readProgress(client: ControlClient, own = NO_RECEIVER): Promise<FirstStepsProgress> {
  return computeProgress(await storiesOf(client), await client.get('receiver'), own);
}

test('the first steps break the own receiver of an application with a fault', async () => {
  const { client } = await openSandbox();
  const first = await readProgress(client, { isReady: true, isBroken: false });
  expect([...first.done.keys(), first.next]).toEqual(['receiver', 'pay']);
  expect(createStepAction('failThrice', first)?.command).toBe('faults add answer --status 500 --count 8');
});

test('the first steps lead from an empty sandbox to a retried dead letter', async () => {
  const { sandbox, client } = await openSandbox();
  const pressed: StepAction[] = [];
  let progress = await readProgress(client);
  for (; progress.next !== undefined && pressed.length < 20; progress = await readProgress(client)) {
    pressed.push(progress.next);
    await createStepAction(progress.next, progress)?.run(client);
    await sandbox.idle();
  }
  expect(pressed.join(' ')).toBe('turnOn pay failThrice pay advance retry');
  expect([...progress.done.keys()]).toEqual(Object.keys(FIRST_STEPS));
  const eight = Array.from({ length: 8 }, () => '500');
  expect(Array.from(progress.done.values(), (course) => course?.statuses)).toEqual([
    undefined,
    ['200'],
    [...eight, '200'],
    [...eight, '200'],
  ]);
  expect(getDeadLetter(progress)).toBeUndefined();
});
