import { afterEach, expect, test } from 'vitest';
import { ControlClient, fetchTransport } from '../../../src/client/control.js';
import { chargeMoves, withdrawalMoves } from '../../../src/console/model/actions.js';
import { historyOf } from '../../../src/console/model/rows.js';
import { Stories } from '../../../src/console/model/stories.js';
import { EN } from '../../../src/console/words/words.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';

type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

const open: Sandbox[] = [];

afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function newClient(): Promise<ControlClient> {
  const sandbox = await createSandbox({ seed: 'payments', port: false });
  open.push(sandbox);
  return new ControlClient(fetchTransport('http://sandbox', (target, init) => sandbox.fetch(target, init)));
}

async function storiesOf(client: ControlClient): Promise<Stories> {
  const stories = new Stories();
  for (const entry of (await client.get('timeline', { limit: 1000 })).data) stories.add(entry);
  return stories;
}

const isDone = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );

test('a charge offers what its state allows, and nothing that the sandbox refuses', async () => {
  const client = await newClient();
  const calls = {
    pay: (id: string) => client.post('charges/:id/settle', { id }),
    fail: (id: string) => client.post('charges/:id/fail', { id, body: {} }),
    expire: (id: string) => client.post('charges/:id/expire', { id }),
  };
  const into = { PENDING: undefined, SETTLED: calls.pay, FAILED: calls.fail, EXPIRED: calls.expire };
  for (const [status, move] of Object.entries(into)) {
    for (const [name, call] of Object.entries(calls)) {
      const { id } = await client.post('charges', { body: { amount: '5.00', code: `${status}-${name}` } });
      await move?.(id);
      const charge = await client.get('charges/:id', { id });
      expect(charge.status).toBe(status);
      const offered = chargeMoves(EN, charge).map((one) => one.name);
      const isLate = status === 'EXPIRED' && name === 'pay';
      expect([status, name, offered.includes(isLate ? 'payLate' : name)]).toEqual([
        status,
        name,
        await isDone(call(id)),
      ]);
    }
  }
});

test('a withdrawal offers what its state allows, and nothing that the sandbox refuses', async () => {
  const client = await newClient();
  const names = ['process', 'settle', 'fail', 'return'] as const;
  const into = { PENDING: undefined, PROCESSING: 'process', SETTLED: 'settle', FAILED: 'fail' } as const;
  for (const [status, move] of Object.entries(into)) {
    for (const name of names) {
      const { id } = await client.post('withdrawals', {
        body: { amount: '5.00', code: `${status}-${name}` },
      });
      if (move !== undefined) await client.post(`withdrawals/:id/${move}`, { id });
      const withdrawal = await client.get('withdrawals/:id', { id });
      expect(withdrawal.status).toBe(status);
      const offered = withdrawalMoves(EN, withdrawal).map((one) => one.name);
      const taken = await isDone(client.post(`withdrawals/:id/${name}`, { id }));
      expect([status, name, offered.includes(name)]).toEqual([status, name, taken]);
    }
  }
});

test('the history of a charge has its changes, its events and their deliveries', async () => {
  const client = await newClient();
  await client.post('receiver', { body: { answer: 500 } });
  await client.post('trigger', { body: { type: 'pix.settled', late: true, with: { code: 'order-1' } } });
  await client.post('clock/advance', { body: { by: '1m' } });
  await client.post('trigger', { body: { type: 'pix.settled', with: { code: 'other' } } });
  const { id } = await client.get('charges/:id', { id: 'order-1' });
  const happened = historyOf(await storiesOf(client), id);
  expect(happened.map(({ step: { entry } }) => entry.event_type ?? entry.to)).toEqual([
    'PENDING',
    'EXPIRED',
    'pix.expired',
    'SETTLED',
    'pix.settled',
  ]);
  const settled = happened.at(-1)?.deliveries ?? [];
  expect(settled.map(({ state, attempts }) => [state, attempts.map(({ status }) => status)])).toEqual([
    ['PENDING', [500, 500]],
  ]);
});

test('a charge with the id of one before a reset has a history of its own', async () => {
  const client = await newClient();
  const body = { amount: '5.00', code: 'order-1' };
  const { id } = await client.post('charges', { body });
  await client.post('charges/:id/settle', { id });
  await client.post('reset');
  expect((await client.post('charges', { body })).id).toBe(id);
  const happened = historyOf(await storiesOf(client), id);
  expect(happened.map(({ step: { entry } }) => entry.to)).toEqual(['PENDING']);
});

test('a history says where a state was restored', async () => {
  const client = await newClient();
  const { id } = await client.post('charges', { body: { amount: '5.00', code: 'order-1' } });
  await client.post('state/snapshots', { body: { name: 'before' } });
  await client.post('charges/:id/settle', { id });
  await client.post('state/snapshots/:name/restore', { name: 'before' });
  const titles = historyOf(await storiesOf(client), id).map(({ step: { entry } }) => entry.title);
  expect(titles).toEqual([
    'charge order-1 PENDING',
    'charge order-1 PENDING → SETTLED',
    'pix.settled of order-1',
    'restored before',
  ]);
});
