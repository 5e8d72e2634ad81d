import { expect, test } from 'vitest';
import type { Command } from '../../../src/core/commands.js';
import type { Effect } from '../../../src/core/effects.js';
import type { Said } from '../../../src/sandbox/timeline/said.js';
import {
  attemptSaid,
  beginsWorld,
  besideSaid,
  commandSaid,
  dueSaid,
  effectSaid,
  endOf,
  firedSaid,
  movedSaid,
  rateSaid,
  stateSaid,
} from '../../../src/sandbox/timeline/said.js';
import { RICH, richWorld } from '../../helpers/core/rich-state.js';
import { START_MS, TestWorld } from '../../helpers/core/world.js';

function lineOf({ kind, id, title, facts }: Said): string {
  return `${kind} ${id}: ${title}\n  ${JSON.stringify(facts)}`;
}

test('what happens in a life with something of everything is told so', async () => {
  const told: Said[] = [];
  class ToldWorld extends TestWorld {
    override remember(effects: readonly Effect[]): void {
      super.remember(effects);
      for (const effect of effects) {
        const said = effect.type === 'due' ? dueSaid(this.world, effect) : effectSaid(this.world, effect);
        if (said !== undefined) told.push(said);
      }
    }
  }
  const life = richWorld(new ToldWorld(RICH));
  life.pass(3_600_000);
  const { world } = life;
  const attempts = world.deliveries.rows.flatMap((delivery) =>
    delivery.log.map((attempt) => attemptSaid(world, delivery, attempt)),
  );
  const text = [...told, ...attempts].map(lineOf).join('\n');
  await expect(`${text}\n`).toMatchFileSnapshot('said.txt');
});

test.each<[Command, unknown, string | null, string]>([
  [{ type: 'charge.settle', chargeId: 'c1' }, {}, 'c1', 'charge.settle c1'],
  [{ type: 'trigger', event: 'pix.settled' }, { id: 'e1' }, null, 'trigger pix.settled'],
  [{ type: 'delivery.retry', deliveryId: 'd1' }, {}, 'd1', 'delivery.retry d1'],
  [{ type: 'withdrawal.process', withdrawalId: 'w1' }, {}, 'w1', 'withdrawal.process w1'],
  [{ type: 'endpoint.disable', endpointId: 'p1' }, {}, 'p1', 'endpoint.disable p1'],
])('a command is told by its type and by what it is about: %j', (command, result, id, title) => {
  expect(commandSaid(command, result, undefined)).toEqual({
    kind: 'command',
    id,
    title,
    facts: { command: command.type },
  });
  expect(commandSaid(command, result, 'late')?.facts).toEqual({ command: command.type, scenario: 'late' });
});

test('a command of faults is told as a fault, and one that answers a call not at all', () => {
  expect(commandSaid({ type: 'fault.remove', id: 'f1' }, null, undefined)).toMatchObject({
    kind: 'fault',
    id: 'f1',
    title: 'fault.remove f1',
  });
  expect(commandSaid({ type: 'clock.tick' }, undefined, undefined)).toBeUndefined();
});

test('the clock is told by where it goes and how fast', () => {
  expect(movedSaid(START_MS, START_MS + 1)).toEqual({
    kind: 'clock',
    id: null,
    title: 'clock moved to 2026-01-01T12:00:00.001Z',
    facts: { moved_from: '2026-01-01T12:00:00.000Z', moved_to: '2026-01-01T12:00:00.001Z' },
  });
  expect([0, 1, 60].map((rate) => rateSaid(rate))).toEqual([
    { kind: 'clock', id: null, title: 'clock frozen', facts: { rate: 0 } },
    { kind: 'clock', id: null, title: 'clock runs in real time', facts: { rate: 1 } },
    { kind: 'clock', id: null, title: 'clock runs 60 times', facts: { rate: 60 } },
  ]);
});

test('an end is a status, an error, or both', () => {
  expect(endOf({ status: 200, error: null })).toBe('200');
  expect(endOf({ status: 500, error: 'HTTP_STATUS' })).toBe('500');
  expect(endOf({ status: 200, error: 'BODY_TOO_LARGE' })).toBe('200 BODY_TOO_LARGE');
  expect(endOf({ status: null, error: 'TIMEOUT' })).toBe('TIMEOUT');
  expect(endOf({})).toBeUndefined();
});

test('the state is told by what happened to it, and some of that begins a world', () => {
  expect(stateSaid('saved', 'before')).toEqual({
    kind: 'state',
    id: 'before',
    title: 'saved before',
    facts: { to: 'saved' },
  });
  expect(stateSaid('reset', null, 'payments').title).toBe('reset payments');
  expect(stateSaid('imported').title).toBe('imported');
  const changes = [
    'begun',
    'started',
    'reset',
    'restored',
    'imported',
    'started again',
    'saved',
    'dropped',
    'not persisted',
    'persisted again',
  ];
  expect(changes.filter((to) => beginsWorld({ kind: 'state', facts: { to } }))).toEqual(changes.slice(0, 5));
  expect(beginsWorld({ kind: 'state', facts: { to: 'toString' } })).toBe(false);
  expect(beginsWorld({ kind: 'change', facts: { to: 'reset' } })).toBe(false);
  expect(beginsWorld({ kind: 'state', facts: {} })).toBe(false);
});

test('a fault is told by what it did, and what it sent by the answer', () => {
  const life = new TestWorld();
  life.endpoint({ url: 'https://shop.example/hook' });
  const [delivery] = life.announce();
  if (delivery === undefined) throw new Error('Expected a delivery.');
  const sent = { deliveryId: delivery.id, number: 1, status: 200, error: null };
  expect(besideSaid(life.world, delivery.event, sent)).toEqual({
    kind: 'fault',
    id: delivery.event.id,
    title: 'a fault sent pix.settled to https://shop.example/hook: 200',
    facts: {
      event_type: 'pix.settled',
      event_id: delivery.event.id,
      endpoint_id: delivery.endpointId,
      target: 'https://shop.example/hook',
      resource_id: delivery.event.resource.id,
      code: delivery.event.resource.code,
      delivery_id: delivery.id,
      attempt: 1,
      status: 200,
      error: null,
    },
  });
  expect(besideSaid(life.world, delivery.event, { ...sent, deliveryId: 'none' }).title).toBe(
    'a fault sent pix.settled to : 200',
  );
  expect(
    firedSaid({ id: 'f1', action: 'status', status: 503, delayMs: 0, copies: 0 }, 'a call', { attempt: 2 }),
  ).toEqual({
    kind: 'fault',
    id: 'f1',
    title: 'fault status fired on a call',
    facts: { attempt: 2, faults: ['status'] },
  });
});
