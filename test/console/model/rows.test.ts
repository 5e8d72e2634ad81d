import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowOptions } from '../../../src/console/model/rows.js';
import {
  listAttempts,
  createFilter,
  labelStep,
  getLinePage,
  LiveRows,
} from '../../../src/console/model/rows.js';
import { findAttemptSignature } from '../../../src/console/model/rows.js';
import { type HistoryStep, Histories } from '../../../src/console/model/histories.js';
import type { EntryView } from '../../../src/http/control/timeline.js';
import { presentDeliveryDetail } from '../../../src/http/control/exchanges.js';
import { webhookKey } from '../../../src/signing/webhook.js';
import { openSandbox, storiesOf } from '../../helpers/console/console.js';
import { deliveryFault } from '../../helpers/core/fault-commands.js';
import { listenTo, settle, startSandbox } from '../../helpers/sandbox/sandbox.js';

const LIMIT = 12;
const KINDS = ['call', 'event', 'delivery', 'attempt', 'clock'] as const;
const FILTERS: readonly Pick<RowOptions, 'test' | 'hides'>[] = [
  { test: () => true, hides: () => false },
  { test: ({ seq }) => seq % 3 === 0, hides: () => false },
  { test: () => true, hides: ({ seq }) => seq % 5 === 0 },
];

function entry(seq: number, draw: number): EntryView {
  const at = '2026-01-31T12:00:00.000Z';
  const kind = KINDS[draw % KINDS.length] ?? 'call';
  const cause = seq === 1 || draw % 3 === 0 ? null : 1 + (draw % (seq - 1));
  return { seq, cause, by: 'control', at, real_at: at, id: `d${draw % 2}`, from: null, title: '', kind };
}

/** An entry that arrives, and how the list is looked at then. */
const LIFE = fc.array(
  fc.record({ draw: fc.nat(), filter: fc.constantFrom(...FILTERS), upTo: fc.nat(45), closed: fc.nat(40) }),
  { minLength: 1, maxLength: 40 },
);

test('reused lines equal newly created ones', () => {
  fc.assert(
    fc.property(LIFE, (life) => {
      const histories = new Histories(LIMIT);
      const kept = new LiveRows();
      for (const [index, { draw, filter, upTo, closed }] of life.entries()) {
        histories.add(entry(index + 1, draw));
        const shown = {
          ...filter,
          upTo: upTo > 40 ? Infinity : upTo,
          closed: new Set([closed]),
        };
        expect(kept.all(histories, shown)).toEqual(new LiveRows().all(histories, shown));
        expect(kept.countSince(histories, shown)).toBe(new LiveRows().countSince(histories, shown));
      }
    }),
  );
});

test('unchanged lines of a history stay the same objects', () => {
  const histories = new Histories();
  const lines = new LiveRows();
  const shown = { test: () => true, hides: () => false, upTo: Infinity, closed: new Set<number>() };
  histories.add(entry(1, 0));
  const [before] = lines.all(histories, shown);
  histories.add(entry(2, 3));
  const [newer, same] = lines.all(histories, shown);
  expect(newer?.step.entry.seq).toBe(2);
  expect(same).toBe(before);
});

test('a term after a minus hides every matching line, and histories without other lines', async () => {
  const { sandbox, client } = await openSandbox();
  await client.post('charges', { body: { code: 'order-2' } });
  await client.post('charges', { body: { code: 'order-3' } });
  // Both charges expire in one story.
  await client.post('clock/advance', { body: { by: '1d' } });
  await client.post('receiver', { body: { answer: 500 } });
  await client.post('trigger', { body: { type: 'pix.settled', with: { code: 'order-1' } } });
  await sandbox.idle();
  const histories = await storiesOf(client);
  for (const [text, left] of [
    ['-order-1', ['order-2', 'order-3']],
    ['-charge:order-2 -order-3', ['order-1']],
    ['-is:failed', ['order-1', 'order-2', 'order-3']],
    ['-kind:clock', ['order-1', 'order-2', 'order-3']],
    ['is:failed -order-1', []],
    ['order-2 -kind:clock', ['order-2']],
  ] as const) {
    const shown = { ...createFilter(text, 0), upTo: Infinity, closed: new Set<number>() };
    const rows = new LiveRows().all(histories, shown);
    const codes = new Set(rows.map(({ code }) => code).filter((code) => code !== undefined));
    expect([text, [...codes].sort()]).toEqual([text, left]);
    for (const { step, code } of rows) {
      const attempts = step.entry.kind === 'delivery' ? listAttempts(histories, step) : [];
      const inLine = [{ ...step.entry, code }, ...attempts];
      expect(inLine.filter((one) => shown.hides(one))).toEqual([]);
    }
  }
});

test('a manually retried delivery contains the attempt, and shows how it ended', async () => {
  const { sandbox, client } = await openSandbox();
  await client.post('receiver', { body: { answer: 500 } });
  await client.post('trigger', { body: { type: 'pix.settled' } });
  await client.post('clock/advance', { body: { by: '45h' } });
  await client.post('receiver', { body: { answer: 200 } });
  await client.post('deliveries/retry', { body: {} });
  await sandbox.idle();
  const histories = await storiesOf(client);
  const rows = new LiveRows().all(histories, { ...createFilter('', 0), upTo: Infinity, closed: new Set() });
  const deliveries = rows.map(({ step }) => step).filter(({ entry }) => entry.kind === 'delivery');
  expect(
    deliveries.map((step) => [
      histories.parentOf(step)?.entry.kind,
      labelStep(histories, step).text,
      listAttempts(histories, step).length,
    ]),
  ).toEqual([
    ['command', 'DELIVERED', 1],
    ['event', 'DELIVERED', 9],
  ]);
});

test('the first line of a trigger opens the history of what it caused', async () => {
  const { client } = await openSandbox();
  const { events } = await client.post('trigger', { body: { type: 'pix.settled' } });
  const histories = await storiesOf(client);
  const pages = histories.roots.map((step) => [step.entry.title, getLinePage(histories, step)]);
  expect(pages.at(-1)).toEqual(['trigger pix.settled', `/charges/${events[0]?.resource.id}#trace`]);
  expect(pages[0]).toEqual(['started', undefined]);
});

const SECOND_SECRET = `whsec_${Buffer.from('another secret of 32 bytes .....').toString('base64')}`;
const OTHER = 'another secret';

/**
 * What a person who signs the shown content with the endpoint's secret sees in the header, one word for
 * each signature.
 */
function compared(content: string, header: string | undefined, secrets: readonly string[]): string[] {
  const own = secrets.map(
    (secret) => `v1,${createHmac('sha256', webhookKey(secret)).update(content).digest('base64')}`,
  );
  return (header ?? '').split(' ').map((signature) => String(own.indexOf(signature)).replace('-1', OTHER));
}

test.each([
  ['secret', ['0']],
  ['wrong-signature', [OTHER]],
  ['stale-timestamp', ['0']],
  ['two-signatures', [OTHER, '0']],
  ['rotated', ['0', '1']],
] as const)('an attempt shows how and what it signed: %s', async (by, signatures) => {
  const sandbox = startSandbox();
  const listener = listenTo(sandbox);
  const { endpoint } = listener;
  const secrets = [endpoint.secret];
  if (by === 'rotated') {
    secrets.unshift(SECOND_SECRET);
    sandbox.dispatch({ type: 'endpoint.rotate', endpointId: endpoint.id, secret: SECOND_SECRET });
  } else if (by !== 'secret') {
    sandbox.dispatch({ type: 'fault.add', fault: deliveryFault(by) });
  }
  settle(sandbox);
  await sandbox.idle();
  const [delivery] = sandbox.world.deliveries.rows;
  const [attempt] = delivery === undefined ? [] : presentDeliveryDetail(sandbox, delivery).attempt_log;
  if (attempt === undefined) throw new Error('Expected an attempt.');
  const signed = findAttemptSignature(attempt, listener.bodies()[0]);
  expect(signed?.by).toBe(by);
  const header = listener.received[0]?.headers['webhook-signature'];
  expect(compared(signed?.content ?? '', header, secrets)).toEqual(signatures);
  const { request_headers: _, ...notStored } = attempt;
  expect(findAttemptSignature(notStored, '')).toBeUndefined();
});

const caused = (seq: number, cause: number | null): EntryView => ({
  ...entry(seq, 0),
  cause,
  id: null,
  kind: 'command',
});

/** Stories as plain data. */
function treesOf(histories: Histories): unknown {
  const tree = (step: HistoryStep): unknown => [step.entry.seq, ...histories.childrenOf(step).map(tree)];
  return histories.roots.map(tree);
}

const LIVES = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .map((draws) =>
    draws.map((draw, index) => caused(index + 1, index === 0 || draw % 4 === 0 ? null : 1 + (draw % index))),
  );

test('lines are independent of the order in which their entries arrive', () => {
  fc.assert(
    fc.property(
      LIVES.chain((life) =>
        fc.tuple(fc.constant(life), fc.shuffledSubarray(life, { minLength: life.length })),
      ),
      ([life, shuffled]) => {
        const inOrder = new Histories();
        for (const one of life) inOrder.add(one);
        const mixed = new Histories();
        for (const one of [...shuffled, ...life]) mixed.add(one);
        expect(treesOf(mixed)).toEqual(treesOf(inOrder));
        expect(mixed.steps.length).toBe(life.length);
      },
    ),
  );
});

test('lines of a long history equal newly loaded ones', () => {
  fc.assert(
    fc.property(LIVES, fc.integer({ min: 1, max: 30 }), (life, limit) => {
      const long = new Histories(limit);
      for (const one of life) long.add(one);
      const afresh = new Histories(limit);
      for (const one of life.slice(-limit)) afresh.add(one);
      expect(treesOf(long)).toEqual(treesOf(afresh));
      expect(long.steps.map(({ entry: { seq } }) => seq)).toEqual(life.slice(-limit).map(({ seq }) => seq));
    }),
  );
});
