import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/contract/time.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { Trace, TraceNode } from '../../../src/sandbox/timeline/trace.js';
import { buildOlderTrace, buildTrace } from '../../../src/sandbox/timeline/trace.js';
import { listenTo, newCharge, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

/** Each step as `kind title → outcome`, beneath its parent. */
function linesOf({ kind, title, outcome, during, children }: TraceNode, level = 0): string[] {
  const marks = [outcome === undefined ? '' : ` → ${outcome}`, during ? ' (during)' : ''].join('');
  return [
    `${'  '.repeat(level)}${kind} ${title}${marks}`,
    ...children.flatMap((child) => linesOf(child, level + 1)),
  ];
}

function storyOf(trace: Trace | undefined): string[] {
  if (trace === undefined) throw new Error('Expected a story.');
  return linesOf(trace.root);
}

/** A settled charge beside another; the receiver refuses the first attempt of all. */
async function twoCharges(): Promise<{ sandbox: Sandbox; chargeId: string }> {
  const sandbox = startSandbox();
  let sent = 0;
  listenTo(sandbox, { status: () => (++sent === 1 ? 503 : 200) });
  const { id } = newCharge(sandbox);
  sandbox.dispatch({ type: 'charge.settle', chargeId: id });
  settle(sandbox);
  await sandbox.travel.advanceTo(sandbox.world.now + HOUR_MS);
  return { sandbox, chargeId: id };
}

const TARGET = 'https://listener.listen.sandbox.localhost/';
const DELIVERY = [
  `delivery pix.settled to ${TARGET} → DELIVERED`,
  `  attempt attempt 1 of pix.settled to ${TARGET}: 503 → 503`,
  `  attempt attempt 2 of pix.settled to ${TARGET}: 200 → 200`,
];

test('a history of rows contains the events, deliveries and attempts of only one payment', async () => {
  const { sandbox, chargeId } = await twoCharges();
  const trace = buildOlderTrace(sandbox.world, new Set([chargeId]));
  expect(storyOf(trace)).toEqual([
    'change order-1 → SETTLED',
    '  event pix.settled of order-1',
    ...DELIVERY.map((line) => `    ${line}`),
  ]);
  const [event] = trace?.root.children ?? [];
  const [delivery] = event?.children ?? [];
  const [first, second] = delivery?.children ?? [];
  expect([trace?.root, event, delivery, first].map((node) => node?.seq)).toEqual([0, 0, 0, 0]);
  expect(second?.id).toBe(`${delivery?.id}.2`);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(0);
});

test('a history of rows starts with an event or a delivery on request', async () => {
  const { sandbox } = await twoCharges();
  const [delivery] = sandbox.world.deliveries.rows;
  if (delivery === undefined) throw new Error('Expected a delivery.');
  expect(storyOf(buildOlderTrace(sandbox.world, new Set([delivery.event.id])))).toEqual([
    'event pix.settled of order-1',
    ...DELIVERY.map((line) => `  ${line}`),
  ]);
  expect(storyOf(buildOlderTrace(sandbox.world, new Set([delivery.id])))).toEqual(DELIVERY);
  expect(buildOlderTrace(sandbox.world, new Set(['unknown']))).toBeUndefined();
});

test('a history of rows shows their next due items', () => {
  const sandbox = startSandbox();
  const { id } = newCharge(sandbox);
  newCharge(sandbox, 'order-2');
  expect(buildOlderTrace(sandbox.world, new Set([id]))?.due.map(({ title }) => title)).toEqual([
    'charge order-1 expires',
  ]);
});

test('the timeline shows each attempt with its outcome, and the current delivery', async () => {
  const { sandbox } = await twoCharges();
  const [delivery] = sandbox.world.deliveries.rows;
  const story = storyOf(buildTrace(sandbox.timeline, sandbox.world, new Set([delivery?.id ?? ''])));
  expect(story).toEqual([
    expect.stringMatching(/^command charge\.settle [-\da-f]{36}$/),
    '  change charge order-1 PENDING → SETTLED → SETTLED',
    '    event pix.settled of order-1',
    ...DELIVERY.map((line) => `      ${line}`),
  ]);
});
