import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ControlClient } from '../../../src/client/control.js';
import { socketClient } from '../../../src/client/socket.js';
import { chargeMoves, withdrawalMoves } from '../../../src/console/detail/payments/payment-actions.js';
import type { Values } from '../../../src/console/dialogs/form.js';
import { paymentAction } from '../../../src/console/dialogs/payment-action.js';
import { triggerAction } from '../../../src/console/dialogs/trigger-action.js';
import type { Action } from '../../../src/console/model/actions.js';
import { jumpAction } from '../../../src/console/detail/actions.js';
import { advanceAction, freezeAction, speedAction } from '../../../src/console/pages/time-actions.js';
import { EN } from '../../../src/console/words/words.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { cliSandbox, START_INSTANT } from '../../helpers/cli/cli-sandbox.js';
import { runLine } from '../../helpers/cli/cli-line.js';

let ofConsole: CliSandbox;
let ofCommand: CliSandbox;
let client: ControlClient;
let other: ControlClient;

beforeAll(async () => {
  [ofConsole, ofCommand] = await Promise.all([cliSandbox(), cliSandbox()]);
  client = socketClient({ url: ofConsole.server.url });
  other = socketClient({ url: ofCommand.server.url });
});

afterAll(async () => {
  for (const each of [client, other]) each.close();
  for (const each of [ofConsole, ofCommand]) await each[Symbol.asyncDispose]();
});

/** Does an action in one sandbox and its command in the other; both must come to the same. Answers the command's exit code. */
async function expectSame(action: Action): Promise<number> {
  await action.run(client);
  const ran = await runLine(action.command ?? '', { env: { SANDBOX_URL: ofCommand.server.url } });
  expect({ ran: ran.exitCode, stderr: ran.exitCode === 0 ? '' : ran.stderr }).toEqual({ ran: 0, stderr: '' });
  expect(await other.get('state')).toEqual(await client.get('state'));
  return ran.exitCode;
}

const TRIGGERS: readonly Values[] = [
  { type: 'pix.settled' },
  { type: 'pix.settled', amount: ' 12.50 ', code: 'order-1', payer_name: "Ana d'Ávila", payer_document: '' },
  { type: 'pix.settled', code: '--help', metadata: 'note=a b $HOME `x`\r\n\r\n"q"=\'1\'\n' },
  { type: 'pix.settled', code: '-x', late: 'on' },
  { type: 'pix.failed', reason: 'AB03', count: '3' },
  { type: 'pix.expired', reason: 'AB03', late: 'on', pix_key: 'counts for nothing' },
  { type: 'pix.settled', override: 'data.object.amount=1.00\ndata.object.payer_name:={"a": [1, "b c"]}\n' },
  { type: 'withdrawal.settled', pix_key: 'maria@example.com', payer_name: 'counts for nothing' },
  { type: 'withdrawal.failed', reason: 'AM04', metadata: 'k=v' },
];

test.for(TRIGGERS)('a trigger and its command do the same: %j', async (values) => {
  expect(await expectSame(triggerAction(EN, values))).toBe(0);
});

test('so do those of an existing charge or withdrawal, which keep their fields', async () => {
  await expectSame(paymentAction(EN, 'charge', { amount: '10.00', code: 'order-7', metadata: 'a=b' }));
  await expectSame(triggerAction(EN, { type: 'pix.settled', charge: 'order-7', amount: '1.00', late: 'on' }));
  await expectSame(
    paymentAction(EN, 'withdrawal', { amount: '5.00', code: 'payout-7', pix_key: '52998224725' }),
  );
  const failed = triggerAction(EN, { type: 'withdrawal.failed', withdrawal: 'payout-7', reason: 'FRAD' });
  expect(await expectSame(failed)).toBe(0);
});

test('so do those for another application', async () => {
  const name = 'the shop';
  const body = { name, token: 'shop-token', signing_secret: 'shop-secret', opening_balance: '50.00' };
  for (const each of [client, other]) await each.post('apps', { body });
  await expectSame(paymentAction(EN, 'charge', { amount: '10.00', code: 'order-8', app: name }));
  await expectSame(paymentAction(EN, 'withdrawal', { amount: '5.00', code: 'payout-8', app: name }));
  await expectSame(triggerAction(EN, { type: 'pix.settled', code: 'order-9', app: name }));
  await expectSame(paymentAction(EN, 'charge', { amount: '10.00', code: 'order-8', app: '' }));
  await expectSame(triggerAction(EN, { type: 'pix.expired', charge: 'order-8', app: name }));
  const { data } = await client.get('charges', { app: name });
  expect(data.map(({ code, status }) => [code, status])).toEqual([
    ['order-9', 'SETTLED'],
    ['order-8', 'EXPIRED'],
  ]);
});

test('what is done with a payment and its command do the same, in each of its states', async () => {
  let done = 0;
  for (const name of ['pay', 'fail', 'expire', 'payLate'] as const) {
    const charge = await client.post('charges', { body: { amount: '1.00', code: `c-${name}` } });
    await other.post('charges', { body: { amount: '1.00', code: `c-${name}` } });
    const reason = name === 'fail' ? 'DS04' : undefined;
    const move = chargeMoves(EN, charge).find((one) => one.name === name);
    if (move === undefined) throw new Error(`Expected ${name} of a new charge.`);
    await expectSame(move.action(reason));
    done += 1;
    const after = await client.get('charges/:id', { id: charge.id });
    for (const next of chargeMoves(EN, after)) await expectSame(next.action(undefined));
  }
  for (const name of ['process', 'settle', 'fail'] as const) {
    const body = { amount: '5.00', code: `w-${name}` };
    const { id } = await client.post('withdrawals', { body });
    await other.post('withdrawals', { body });
    for (const wanted of [name, 'settle', 'return'] as const) {
      const now = await client.get('withdrawals/:id', { id });
      const move = withdrawalMoves(EN, now).find((one) => one.name === wanted);
      if (move === undefined) continue;
      await expectSame(move.action(undefined));
      done += 1;
    }
  }
  expect(done).toBe(10);
});

test('moves of the clock and their commands do the same', async () => {
  const start = Date.parse(START_INSTANT);
  await expectSame(advanceAction(EN, { by: '1d12h' }));
  const at = new Date(start + 129_600_000 + 90_061_001).toISOString();
  await expectSame(jumpAction(EN, at, start + 129_600_000));
  expect((await client.get('clock')).now).toBe(at);
  // What is overdue: only the passing of nothing can start it.
  await expectSame(jumpAction(EN, START_INSTANT, Date.parse(at)));
  expect((await client.get('clock')).now).toBe(at);
  await expectSame(freezeAction(EN, { at: '2026-03-01T00:00:00Z' }));
  await expectSame(freezeAction(EN, { at: '' }));
});

test('a speed and its command are the same', async () => {
  const speed = speedAction(EN, { rate: '0.5' });
  await speed.run(client);
  await runLine(speed.command ?? '', { env: { SANDBOX_URL: ofCommand.server.url } });
  expect((await client.get('clock')).rate).toBe(0.5);
  expect((await other.get('clock')).rate).toBe(0.5);
});
