import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { applyCommand, type Command } from '../../../src/core/apply.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import type { Entry } from '../../../src/sandbox/timeline/entry.js';
import { describeStateChange } from '../../../src/sandbox/timeline/entry-content.js';
import type { PendingRequest } from '../../../src/sandbox/timeline/entry.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import type { Move } from '../../helpers/core/moves.js';
import { createMoveCause } from '../../../src/sandbox/timeline/cause.js';
import { anyMove, commandOf } from '../../helpers/core/moves.js';
import { callFault, deliveryFault } from '../../helpers/core/fault-commands.js';
import { endpointInput, START_MS, TestWorld } from '../../helpers/core/world.js';

/** A test world whose commands are on a timeline. */
class Recorded {
  readonly test = new TestWorld();
  readonly timeline = new Timeline();

  do(command: Command): void {
    const applied = applyCommand(this.test.world, command, this.test.now);
    this.test.remember(applied.effects);
    this.timeline.record({ command, applied, world: this.test.world, realAt: null });
  }

  /** As time travel does: each step is a tick, and the move is its cause. */
  advance(ms: number): void {
    const to = this.test.now + ms;
    const move = createMoveCause({ by: 'scenario', scenario: 'late' }, this.test.now, to);
    this.test.now = to;
    this.timeline.withCause(move, () => this.do({ type: 'clock.tick' }));
  }

  entries(): Entry[] {
    return [...this.timeline.ring.between()];
  }

  /** Each entry as `kind title`, beneath what led to it. */
  tree(): string[] {
    const depth = new Map<number, number>();
    return this.entries().map(({ seq, cause, kind, title }) => {
      const level = cause === null ? 0 : (depth.get(cause) ?? NaN) + 1;
      depth.set(seq, level);
      return `${'  '.repeat(level)}${kind} ${title}`;
    });
  }

  call(id: string, work: () => void, status = 201): PendingRequest {
    const call = this.timeline.beginCall(id, 'POST /pix', this.test.now, null);
    this.timeline.withCause({ by: 'call', call }, work);
    const facts = { status, app_id: this.test.app.id };
    this.timeline.endCall({ kind: 'call', id, title: `POST /pix ${status}`, facts }, 0, call);
    return call;
  }

  outcome(status: number | null): void {
    const open = this.test.attempts.at(-1);
    if (open === undefined) throw new Error('No attempt was started.');
    const error = status === 200 ? null : 'HTTP_STATUS';
    this.do({ type: 'delivery.attempted', deliveryId: open.deliveryId, number: open.number, status, error });
  }
}

function create(code: string, { test: { app } }: Recorded): Command {
  return { type: 'charge.create', appId: app.id, charge: createPaymentDraft('charge', app, { code }) };
}

test('a listener is called by one name only once', () => {
  const one = new Recorded();
  one.do({
    type: 'listener.connect',
    appId: one.test.app.id,
    listener: { ...endpointInput({ description: 'listener → http://localhost:3000/' }), name: 'one' },
  });
  expect(one.tree()).toContain('listener listener → http://localhost:3000/ created');
});

describe('the timeline', () => {
  test('shows a request before its effects, and each change as it was then', () => {
    const life = new Recorded();
    life.test.endpoint();
    life.call('req_1', () => life.do(create('order-1', life)));
    life.timeline.withCause({ by: 'control' }, () =>
      life.do({ type: 'trigger', event: 'pix.settled', charge: 'order-1' }),
    );
    life.outcome(500);
    life.test.now += 60_000;
    life.do({ type: 'clock.tick' });
    life.outcome(200);
    expect(life.tree()).toEqual([
      'call POST /pix 201',
      '  command charge.create',
      '    change charge order-1 PENDING',
      'command trigger pix.settled',
      '  change charge order-1 PENDING → SETTLED',
      '    event pix.settled of order-1',
      '      delivery pix.settled to https://shop.example/webhooks',
      '        attempt attempt 1 of pix.settled to https://shop.example/webhooks: 500',
      '        attempt attempt 2 of pix.settled to https://shop.example/webhooks: 200',
      '          delivery pix.settled to https://shop.example/webhooks PENDING → DELIVERED',
    ]);
  });

  test('lets the clock start a separate history', () => {
    const life = new Recorded();
    life.do(create('order-1', life));
    life.test.now += 86_400_000;
    life.do({ type: 'clock.tick' });
    expect(life.tree().slice(2)).toEqual([
      'clock charge order-1 expires',
      '  change charge order-1 PENDING → EXPIRED',
      '    event pix.expired of order-1',
    ]);
    expect(life.entries().at(-1)).toMatchObject({ by: 'clock', at: START_MS + 86_400_000 });
  });

  test('starts the history of what a clock change makes due with that change', () => {
    const life = new Recorded();
    life.do(create('order-1', life));
    life.advance(86_400_000);
    expect(life.tree().slice(2)).toEqual([
      'clock clock moved to 2026-01-02T12:00:00.000Z',
      '  clock charge order-1 expires',
      '    change charge order-1 PENDING → EXPIRED',
      '      event pix.expired of order-1',
    ]);
    const [, , moved, ...due] = life.entries();
    expect(moved).toMatchObject({ by: 'scenario', at: START_MS, facts: { scenario: 'late' } });
    expect(due.map(({ by }) => by)).toEqual(['scenario', 'scenario', 'scenario']);
  });

  test('shows each fault that fires, under the affected request or delivery', () => {
    const life = new Recorded();
    life.test.endpoint();
    for (const fault of [callFault('status'), deliveryFault('answer')]) life.do({ type: 'fault.add', fault });
    life.call('req_1', () =>
      life.do({ type: 'fault.on-call', call: { api: 'api', method: 'GET', path: '/' } }),
    );
    life.do({ type: 'trigger', event: 'pix.settled' });
    const tree = life.tree().filter((line) => /POST|fired|delivery|attempt/.test(line));
    expect(tree).toEqual([
      'call POST /pix 201',
      '  fault fault status fired on an API request',
      '      delivery pix.settled to https://shop.example/webhooks',
      '        fault fault answer fired on attempt 1',
    ]);
    const [onCall, onAttempt] = life.entries().filter(({ facts }) => facts.faults !== undefined);
    const [first, second] = [...life.test.world.faults.values()];
    expect([onCall?.id, onAttempt?.id]).toEqual([first?.id, second?.id]);
  });

  test('marks a request received while an attempt to its application was in flight', () => {
    const life = new Recorded();
    life.test.endpoint();
    life.do({ type: 'trigger', event: 'pix.settled' });
    const [attempt] = life.test.attempts;
    life.call('req_back', () => {});
    life.outcome(200);
    life.call('req_after', () => {});
    const during = life.entries().map(({ id, facts }) => [id, facts.during]);
    expect(during).toContainEqual(['req_back', [`${attempt?.deliveryId}.1`]]);
    expect(during).toContainEqual(['req_after', undefined]);
  });

  test('shows a request as pending once one of its effects continues without its response', () => {
    const life = new Recorded();
    life.test.endpoint();
    const call = life.timeline.beginCall('req_1', 'POST /pix', life.test.now, null);
    life.timeline.withCause({ by: 'call', call }, () => {
      life.do(create('order-1', life));
      life.do({ type: 'trigger', event: 'pix.settled', charge: 'order-1' });
    });
    life.outcome(200);
    life.timeline.endCall(
      { kind: 'call', id: 'req_1', title: 'POST /pix 201', facts: { status: 201 } },
      0,
      call,
    );
    const [first, ...rest] = life.entries();
    const last = rest.at(-1);
    expect(first).toMatchObject({ seq: 1, id: 'req_1', title: 'POST /pix', facts: {} });
    expect(last).toMatchObject({ id: 'req_1', cause: 1, facts: { status: 201 } });
  });

  test('drops the oldest entries, and their references', () => {
    const life = new Recorded();
    for (let count = 0; count <= LIMITS.timelineKept; count += 1)
      life.timeline.note(describeStateChange('saved'), 0, null);
    const { ring } = life.timeline;
    expect([ring.oldest, ring.newest]).toEqual([2, LIMITS.timelineKept + 1]);
    expect(ring.get(1)).toBeUndefined();
    expect([...ring.backwards()].map(({ seq }) => seq).at(-1)).toBe(2);
  });

  test('the timeline is always a forest: a cause is an earlier entry, and nothing is missing', () => {
    fc.assert(
      fc.property(anyLife, (moves) => {
        const life = new Recorded();
        const heard: Entry[] = [];
        life.timeline.subscribe((entry) => heard.push(entry));
        live(life, moves);
        const entries = life.entries();
        expect(heard).toEqual(entries);
        expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
        for (const { seq, cause } of entries) expect(cause ?? 0).toBeLessThan(seq);
        checkMoves(entries);
        checkTransitions(entries, life);
      }),
      { numRuns: 150 },
    );
  });

  test('shows the same whether each entry is read immediately or all are at the end', () => {
    fc.assert(
      fc.property(anyLife, (moves) => {
        const heard = new Recorded();
        heard.timeline.subscribe(() => {});
        const read = new Recorded();
        for (const life of [heard, read]) live(life, moves);
        expect(read.entries()).toEqual(heard.entries());
      }),
      { numRuns: 100 },
    );
  });

  test('shows no attempt as in flight that had ended when its retry started immediately', () => {
    const life = new Recorded();
    life.test.endpoint();
    life.do({ type: 'trigger', event: 'pix.settled' });
    life.test.now += 3_600_000;
    life.outcome(500);
    life.call('req_1', () => {}, 200);
    const [delivery] = life.test.world.deliveries.rows;
    expect(life.entries().at(-1)?.facts.during).toEqual([`${delivery?.id}.2`]);
  });

  test('names an endpoint in entries before its deletion', () => {
    const life = new Recorded();
    const { id, url } = life.test.endpoint();
    life.do({ type: 'trigger', event: 'pix.settled' });
    life.outcome(200);
    life.do({ type: 'endpoint.delete', endpointId: id });
    const told = life.entries().filter(({ kind }) => kind === 'attempt' || kind === 'delivery');
    expect(told.map(({ facts }) => facts.target)).toEqual([url, url, url]);
  });

  test('shows no secret known at the time of the entry, even if it is forgotten since', () => {
    const sandbox = new Sandbox();
    const [app] = sandbox.world.apps.rows;
    if (app === undefined) throw new Error('Expected an application.');
    const secret = 'once-the-token-of-a-shop';
    sandbox.secrets.add([secret]);
    sandbox.dispatch({
      type: 'charge.create',
      appId: app.id,
      charge: createPaymentDraft('charge', app, { code: secret }),
    });
    sandbox.reset();
    const entries = [...sandbox.timeline.ring.between()];
    sandbox.close();
    expect(entries.map(({ title }) => title)).toContain('charge … PENDING');
    expect(JSON.stringify(entries)).not.toContain(secret);
  });
});

const anyLife = fc.array(fc.tuple(anyMove, fc.nat(3)), { maxLength: 60 });

/** Does the moves, and ends the calls that stayed open. */
function live(life: Recorded, moves: readonly (readonly [Move, number])[]): void {
  const calls: PendingRequest[] = [];
  for (const [move, wrapping] of moves) step(life, move, wrapping, calls);
  for (const call of calls) life.timeline.endCall(ANSWERED, 0, call);
}

const ANSWERED = { kind: 'call', id: 'req', title: 'GET / 200', facts: { status: 200 } } as const;

/** Does a move: plainly, within a call, or within a call that stays open. */
function step(life: Recorded, move: Move, wrapping: number, calls: PendingRequest[]): void {
  if ('pass' in move) {
    const ms = move.pass === 'to the next due' ? 60_000 : move.pass;
    if (wrapping > 0) return life.advance(ms);
    life.test.now += ms;
  }
  const command = ('pass' in move ? undefined : commandOf(life.test, move)) ?? { type: 'clock.tick' };
  if (wrapping === 0) return life.do(command);
  const call = life.timeline.beginCall(`req_${calls.length}`, 'GET /', life.test.now, null);
  life.timeline.withCause({ by: 'call', call }, () => life.do(command));
  if (wrapping === 1) calls.push(call);
  else life.timeline.endCall(ANSWERED, 0, call);
}

/** What falls due by a move of the clock follows from it, within its time; what falls due without one begins a story. */
function checkMoves(entries: readonly Entry[]): void {
  const isMove = ({ kind, facts }: Entry) => kind === 'clock' && facts.moved_to !== undefined;
  for (const entry of entries.filter((one) => one.kind === 'clock' && !isMove(one))) {
    const parent = entry.cause === null ? undefined : entries[entry.cause - 1];
    expect(entry.by).toBe(parent === undefined ? 'clock' : 'scenario');
    if (parent === undefined) continue;
    expect(isMove(parent)).toBe(true);
    expect(entry.at).toBeLessThanOrEqual(Date.parse(parent.facts.moved_to ?? ''));
  }
}

/** The changes of each row lead, without a gap, from nothing to what the row is now. */
function checkTransitions(entries: readonly Entry[], { test: { world } }: Recorded): void {
  const status = new Map<string, string>();
  for (const { kind, id, facts } of entries) {
    if (id === null || facts.to === undefined || (kind !== 'change' && kind !== 'delivery')) continue;
    if (facts.resource === 'endpoint' || facts.resource === 'session') continue;
    expect(facts.from).toBe(status.get(id) ?? null);
    status.set(id, facts.to);
  }
  for (const row of [...world.charges.rows, ...world.withdrawals.rows, ...world.deliveries.rows]) {
    expect(status.get(row.id)).toBe(row.status);
  }
}
