import { expect, test } from 'vitest';
import { applyCommand, type Command } from '../../../src/core/apply.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import type { Call } from '../../../src/sandbox/call-log.js';
import { redactEntry } from '../../../src/sandbox/timeline/entry.js';
import * as said from '../../../src/sandbox/timeline/entry-content.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import type { TraceNode } from '../../../src/sandbox/timeline/trace.js';
import { buildOlderTrace, buildTrace } from '../../../src/sandbox/timeline/trace.js';
import { formatOutcome } from '../../../src/text/exchange/present-exchange.js';
import { callFault, deliveryFault } from '../../helpers/core/fault-commands.js';
import { addSession, newSession } from '../../helpers/core/sessions.js';
import { endpointInput, TestWorld } from '../../helpers/core/world.js';

const life = new TestWorld({ autoSettleMs: 60_000 });
const timeline = new Timeline();
const { world, app } = life;

/** Applies a command, and tells the timeline. */
function record(command: Command): void {
  const applied = applyCommand(world, command, life.now);
  life.remember(applied.effects);
  timeline.record({ command, applied, world, realAt: null });
}

const answer = (
  deliveryId: string,
  number: number,
  status: number | null,
  error: 'HTTP_STATUS' | 'TIMEOUT' | null,
) => record({ type: 'delivery.attempted', deliveryId, number, status, error });
const idOf = (rows: readonly { readonly id: string }[], index = 0) => rows[index]?.id ?? '';

record({ type: 'endpoint.create', appId: app.id, endpoint: endpointInput({}) });
const listener = { ...endpointInput({ description: 'http://localhost:3000' }), name: 'mine' };
record({ type: 'listener.connect', appId: app.id, listener });
record({ type: 'fault.add', fault: deliveryFault('duplicate', { count: 1 }) });
record({
  type: 'charge.create',
  appId: app.id,
  charge: createPaymentDraft('charge', app, { code: 'order-1' }),
});
record({
  type: 'charge.create',
  appId: app.id,
  charge: createPaymentDraft('charge', app, { code: 'order-2' }),
});
record({ type: 'charge.settle', chargeId: idOf(world.charges.rows) });
answer(idOf(world.deliveries.rows), 1, 200, null);
answer(idOf(world.deliveries.rows, 1), 1, 503, 'HTTP_STATUS');
life.now += 60_000;
record({ type: 'clock.tick' });
answer(idOf(world.deliveries.rows, 1), 2, null, 'TIMEOUT');
record({ type: 'charge.fail', chargeId: 'order-1', reason: null });
record({
  type: 'withdrawal.create',
  appId: app.id,
  withdrawal: createPaymentDraft('withdrawal', app, { code: 'payout-1' }),
});
record({ type: 'withdrawal.settle', withdrawalId: 'payout-1' });
record({ type: 'trigger', event: 'pix.expired', appId: app.id });
record({ ...newSession(life, { sessionId: 'kyc_0123456789abcdef' }) });
record({ type: 'session.decide', sessionId: 'kyc_0123456789abcdef', status: 'approved', delayMs: 1_000 });
life.now += 1_000;
record({ type: 'clock.tick' });
record({ type: 'event.resend', eventId: idOf(world.events.rows) });
record({ type: 'endpoint.disable', endpointId: idOf([...world.endpoints.values()]) });
record({ type: 'listener.lose', endpointId: idOf([...world.endpoints.values()], 1) });
record({ type: 'fault.remove', id: null });
record({ type: 'deliveries.pause' });
record({ type: 'endpoint.delete', endpointId: idOf([...world.endpoints.values()]) });

function treeOf({ kind, id, title, outcome, during, by, children }: TraceNode, level = 0): string {
  const line = [kind, id, title, outcome, during, by].filter((part) => part !== undefined).join(' | ');
  return `${'  '.repeat(level)}${line}\n${children.map((child) => treeOf(child, level + 1)).join('')}`;
}

test('each entry describes what happened, with its facts', async () => {
  const lines = [...timeline.ring.between()].map(
    ({ seq, cause, kind, id, title, facts }) =>
      `${seq} of ${cause}: ${kind} ${id}\n  ${title}\n  ${JSON.stringify(facts)}\n`,
  );
  await expect(lines.join('')).toMatchFileSnapshot('words/entries.txt');
});

test('a history starts with its first cause, or with the rows if they are older', async () => {
  const ids = [
    idOf(world.charges.rows),
    idOf(world.withdrawals.rows),
    idOf(world.events.rows, 1),
    idOf(world.deliveries.rows, 1),
    'kyc_0123456789abcdef',
    'stranger',
  ];
  const stories = ids.flatMap((id) =>
    [buildTrace(timeline, world, new Set([id])), buildOlderTrace(world, new Set([id]))].map((trace) =>
      trace === undefined
        ? 'nothing\n'
        : `${[trace.root, ...trace.later].map((node) => treeOf(node)).join('')}due: ${JSON.stringify(trace.due)}\n`,
    ),
  );
  await expect(stories.join('\n')).toMatchFileSnapshot('words/histories.txt');
});

const CALL: Call = {
  requestId: 'req_1',
  at: 0,
  realAt: 0,
  api: 'api',
  method: 'GET',
  path: '/a?b',
  status: 200,
  matched: true,
  appId: 'app',
  resourceId: null,
  error: null,
  hint: null,
  warnings: [],
  faults: [],
};
const other = new TestWorld();
other.endpoint();
const [delivery] = other.announce();
const beside = (deliveryId: string, status: number | null, error: 'TIMEOUT' | 'HTTP_STATUS' | null) =>
  said.describeSideEvent(other.world, other.world.events.rows[0] as never, {
    deliveryId,
    number: 1,
    status,
    error,
  });
const hide = (text: string) => text.replaceAll('secret', '***');
const due = (kind: 'charge.expire' | 'delivery.attempt' | 'session.lapse') =>
  said.describeExecutedItem(other.world, { type: 'due', at: 0, kind, ordinal: 0 });
addSession(other, { sessionId: 'kyc_0123456789abcdef' });

const SAID: readonly unknown[] = [
  said.describeCommand({ type: 'clock.tick' }, undefined, undefined),
  said.describeCommand({ type: 'fault.add', fault: callFault('reset') }, { id: 'fault-1' }, 'late'),
  said.describeCommand({ type: 'fault.remove', id: 'fault-1' }, 1, undefined),
  said.describeCommand({ type: 'charge.expire', chargeId: 'charge-1' }, { id: 'charge-2' }, undefined),
  said.describeCommand({ type: 'deliveries.resume' }, { id: 'ignored' }, undefined),
  said.describeCommand(
    { type: 'account.create', appId: 'a', openingBalanceCents: 0 },
    { id: 'account-1' },
    undefined,
  ),
  said.describeCommand({ type: 'trigger', event: 'pix.settled' }, {}, undefined),
  due('charge.expire'),
  due('session.lapse'),
  due('delivery.attempt'),
  said.describeCall(CALL),
  said.describeCall({
    ...CALL,
    resourceId: 'row',
    error: 'NOT_FOUND',
    status: 404,
    faults: [{ id: 'f', action: 'cut' }],
  }),
  said.describeClockMove(0, 60_000),
  said.describeRate(0),
  said.describeRate(1),
  said.describeRate(60),
  said.describeStateChange('begun'),
  said.describeStateChange('saved', 'mine'),
  said.describeStateChange('not persisted', null, '(ENOSPC)'),
  beside(delivery?.id ?? '', 200, null),
  beside('stranger', null, 'TIMEOUT'),
  said.describeFiredFault({ id: 'f', action: 'cut' }, 'an API request', { code: 'a' }),
  formatOutcome({ status: 200, error: null }),
  formatOutcome({ status: 500, error: 'HTTP_STATUS' }),
  formatOutcome({ status: 200, error: 'INVALID_RESPONSE' }),
  formatOutcome({ status: null, error: 'TIMEOUT' }),
  formatOutcome({}),
  said.formatEndpointTarget(undefined),
  redactEntry({ title: 'a', facts: { code: 'b' } }, hide),
  redactEntry({ title: 'a secret', facts: {} }, hide),
  redactEntry({ title: 'a', facts: { code: 'secret', target: 'b', status: 1 } }, hide),
  redactEntry({ title: 'a', facts: { scenario: 'secret' } }, hide),
  redactEntry({ title: 'a', facts: { target: 'secret' } }, hide),
];

test('describes what happens outside of the world', async () => {
  const lines = SAID.map((one) => `${JSON.stringify(one)}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('words/contents.txt');
});

test.each([
  ['begun', true],
  ['reset', true],
  ['started again', false],
  ['persisted again', false],
  ['toString', false],
] as const)('%s: another world starts with %s', (to, begins) => {
  expect(said.isWorldReplacement({ kind: 'state', facts: { to } })).toBe(begins);
  expect(said.isWorldReplacement({ kind: 'change', facts: { to } })).toBe(false);
  expect(said.isWorldReplacement({ kind: 'state', facts: {} })).toBe(false);
});
