import { LIMITS, RETRY_SCHEDULES } from '../../../src/contract/limits.js';
import { MOVES } from '../../../src/contract/transitions.js';
import type { Command } from '../../../src/core/apply.js';
import { drawDelay } from '../../../src/core/delays.js';
import { isStillValid } from '../../../src/core/due.js';
import type { Effect } from '../../../src/core/effects.js';
import { isUndecided } from '../../../src/core/identity/session.js';
import { findLedgerProblems } from '../../../src/core/payments/ledger.js';
import type { NumberedRow, Table } from '../../../src/core/table.js';
import { isDisconnected, type RetryAllResult } from '../../../src/core/webhooks/deliveries.js';
import type { AnnouncedEvent, Delivery, World } from '../../../src/core/world.js';

/** Cheaper than an expectation, because it runs for every row after every step. */
export function must(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** The balance is the sum of the ledger, and the ledger is what the charges and withdrawals say. */
function checkLedger(world: World): void {
  const problems = findLedgerProblems(world);
  must(problems.length === 0, problems.join('; '));
  let count = 0;
  for (const account of world.accounts.values()) {
    let sum = 0n;
    let funds = 0n;
    for (const { direction, amountCents, code } of account.transactions) {
      sum += BigInt(direction === 'CREDIT' ? amountCents : -amountCents);
      if (/^(opening-balance|funds-.*)$/.test(code)) funds += BigInt(amountCents);
      must(sum >= 0n, 'a balance went below zero');
    }
    must(account.balanceCents === sum, `the balance is ${account.balanceCents}, and the ledger's sum ${sum}`);
    const moved = funds + earned(world, account.id) - paidOut(world, account.id);
    must(sum === moved, `the ledger's sum is ${sum}, and what was moved ${moved}`);
    count += account.transactions.length;
  }
  must(world.transactionCount === count, 'a line of the ledger is missing');
}

function earned({ charges }: World, accountId: string): bigint {
  const settled = charges.rows.filter(
    (charge) => charge.accountId === accountId && charge.status === 'SETTLED',
  );
  return settled.reduce(
    (sum, charge) => sum + BigInt(charge.amountCents - charge.providerFeeCents - charge.partnerFeeCents),
    0n,
  );
}

function paidOut({ withdrawals }: World, accountId: string): bigint {
  const standing = withdrawals.rows.filter((row) => row.accountId === accountId && row.status !== 'FAILED');
  return standing.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
}

type Machine = 'charge' | 'withdrawal' | 'delivery' | 'session';

const ALLOWED: ReadonlySet<string> = new Set([
  ...['PENDING>DELIVERED', 'PENDING>FAILED', 'FAILED>PENDING'].map((step) => `delivery ${step}`),
  ...Object.entries(MOVES).flatMap(([machine, moves]) =>
    Object.values(moves).flatMap(({ from, to }) => from.map((one: string) => `${machine} ${one}>${to}`)),
  ),
]);

/** Watches one world from command to command and fails the test as soon as a rule of the house is broken. */
export class Watch {
  readonly #world: World;
  readonly #statuses = new Map<string, string>();
  /** By `id.number`: when the outcome of an attempt was known, and which attempts were asked for by a retry. */
  readonly #outcomeAt = new Map<string, number>();
  readonly #retried = new Set<string>();
  /** When deliveries were resumed, a listener returned or a fault ended: what was held back started at once. */
  readonly #releasedAt = new Set<number>();
  /** The schedule of each endpoint, and the listeners that came back with another. */
  readonly #schedules = new Map<string, string>();
  readonly #rescheduled = new Set<string>();
  #eventCount = 0;
  #deliveryCount = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** After a command that was applied. */
  applied(command: Command, result: unknown, effects: readonly Effect[]): void {
    this.#remember(command, result, effects);
    this.#checkTransitions();
    this.#checkNothingLost(command, effects);
    for (const delivery of this.#world.deliveries.rows) this.#checkDelivery(delivery);
    checkLedger(this.#world);
    checkSessions(this.#world);
    checkFaults(this.#world);
    checkAgenda(this.#world);
    checkTables(this.#world);
  }

  #remember(command: Command, result: unknown, effects: readonly Effect[]): void {
    for (const effect of effects)
      if (effect.type === 'fault') this.#releasedAt.add(effect.fault.until ?? this.#world.now);
    if (command.type === 'delivery.attempted' && result === true) {
      this.#outcomeAt.set(`${command.deliveryId}.${command.number}`, this.#world.now);
    }
    if (RELEASING.has(command.type)) {
      this.#releasedAt.add(this.#world.now);
    }
    for (const { id, schedule } of this.#world.endpoints.values()) {
      if ((this.#schedules.get(id) ?? schedule) !== schedule) this.#rescheduled.add(id);
      this.#schedules.set(id, schedule);
    }
    const { deliveries } = this.#world;
    if (command.type === 'delivery.retry') this.#retry(deliveries.byId.get(command.deliveryId));
    if (command.type === 'deliveries.retry') {
      for (const delivery of (result as RetryAllResult).retried) this.#retry(delivery);
    }
  }

  #retry({ id, attempts = 0, nextAttemptAt }: Partial<Delivery> = {}): void {
    const isHeldBack = typeof nextAttemptAt === 'number';
    this.#retried.add(`${id}.${isHeldBack ? attempts + 1 : attempts}`);
  }

  #checkTransitions(): void {
    const { charges, withdrawals, deliveries, sessions } = this.#world;
    for (const { id, status } of sessions.rows) this.#checkTransition('session', id, status);
    for (const { id, status } of charges.rows) this.#checkTransition('charge', id, status);
    for (const { id, status } of withdrawals.rows) this.#checkTransition('withdrawal', id, status);
    for (const { id, status } of deliveries.rows) this.#checkTransition('delivery', id, status);
  }

  #checkTransition(machine: Machine, id: string, to: string): void {
    const from = this.#statuses.get(id);
    this.#statuses.set(id, to);
    if (from === undefined || from === to) return;
    const step = `${machine} ${from}>${to}`;
    must(ALLOWED.has(step), `no such transition: ${step}`);
  }

  /** Every new event has one delivery for each endpoint that wants it, and old rows stay where they were. */
  #checkNothingLost(command: Command, effects: readonly Effect[]): void {
    const { events, deliveries, endpoints } = this.#world;
    const dropped = effects.filter((effect) => effect.type === 'dropped');
    const allOf = <Row extends NumberedRow>(kept: Table<Row>, gone: readonly Row[], count: number) =>
      [...kept.rows, ...gone].filter(({ ordinal }) => ordinal >= count).sort((a, b) => a.ordinal - b.ordinal);
    const goneDeliveries = dropped.flatMap((effect) => effect.deliveries);
    const newDeliveries = allOf(deliveries, goneDeliveries, this.#deliveryCount);
    const goneEvents = dropped.flatMap((effect) => effect.events);
    const newEvents = allOf(events, goneEvents, this.#eventCount);
    checkDropped(this.#world, goneDeliveries, goneEvents);
    this.#deliveryCount = this.#world.deliveryCount;
    this.#eventCount = this.#world.eventCount;
    const announced = effects.filter((effect) => effect.type === 'event').map(({ event }) => event);
    mustBeSame(announced, newEvents, 'events told');
    if (command.type !== 'listener.lose') {
      const started = effects.filter((effect) => effect.type === 'attempt');
      const reaches = started.every(({ delivery }) => !isAwayFrom(this.#world, delivery));
      must(reaches, 'an attempt began for a listener that is away');
    }
    if (command.type === 'event.resend') return;
    const receivers = (event: AnnouncedEvent) =>
      [...endpoints.values()]
        .filter((endpoint) => !isDisconnected(endpoint))
        .filter(({ status, appId }) => status === 'ACTIVE' && appId === event.resource.appId)
        .filter(({ events: wanted }) => wanted.includes(event.type))
        .map(({ id }) => `${event.id} to ${id}`);
    const wanted = newEvents.flatMap(receivers);
    const made = newDeliveries.map(({ event, endpointId }) => `${event.id} to ${endpointId}`);
    const isWhole = made.sort().join() === wanted.sort().join();
    must(isWhole, `made deliveries of ${made.join()}; wanted ${wanted.join()}`);
  }

  #checkDelivery(delivery: Delivery): void {
    const { status, inFlight, nextAttemptAt, attempts, attemptLimit, id } = delivery;
    const name = `delivery ${id}`;
    must(attempts <= attemptLimit, `${name} has more attempts than it may`);
    const automatic = Array.from({ length: attempts }, (_, index) => `${id}.${index + 1}`);
    const made = automatic.filter((attempt) => !this.#retried.has(attempt)).length;
    must(made <= 8, `${name} was attempted ${made} times by itself`);
    if (status === 'PENDING')
      must(inFlight === (nextAttemptAt === null), `${name} is neither in flight nor due`);
    else must(!inFlight && nextAttemptAt === null, `${name} is ${status} and goes on`);
    const { status: endpointStatus } = this.#world.endpoints.get(delivery.endpointId) ?? {
      status: 'DELETED',
    };
    must(
      status !== 'PENDING' || endpointStatus === 'ACTIVE',
      `${name} waits for an endpoint that is ${endpointStatus}`,
    );
    must((delivery.deliveredAt !== null) === (status === 'DELIVERED'), `${name}: delivered_at`);
    must(inFlight || delivery.faults.length === 0, `${name} has faults without an attempt in flight`);
    this.#checkSchedule(delivery);
  }

  /** Each automatic attempt starts its wait after the one before, or as soon as that one's outcome is known. */
  #checkSchedule(delivery: Delivery): void {
    const { id, endpointId, log, inFlight, lastAttemptAt, attempts, nextAttemptAt, heldBy } = delivery;
    const endpoint = this.#world.endpoints.get(endpointId);
    if (endpoint === undefined || this.#rescheduled.has(endpointId)) return;
    const waitsMs: readonly number[] = RETRY_SCHEDULES[endpoint.schedule];
    const starts = log.map(({ number, startedAt }) => ({ number, startedAt }));
    if (inFlight) starts.push({ number: attempts, startedAt: lastAttemptAt ?? -1 });
    starts.forEach(({ number, startedAt }, index) => {
      const previous = starts[index - 1];
      if (previous?.number !== number - 1 || this.#retried.has(`${id}.${number}`)) return;
      const due = previous.startedAt + (waitsMs[number - 1] ?? Infinity);
      const knownAt = this.#outcomeAt.get(`${id}.${previous.number}`) ?? previous.startedAt;
      const expected = Math.max(due, knownAt);
      const wasHeldBack = this.#releasedAt.has(startedAt) && startedAt > expected;
      must(
        startedAt === expected || wasHeldBack,
        `attempt ${number} of ${id} came at ${startedAt}, not at ${expected}`,
      );
    });
    if (nextAttemptAt === null) return;
    if (heldBy !== undefined) {
      const end = this.#world.faults.get(heldBy)?.until;
      return must(
        nextAttemptAt === end,
        `${id} is due at ${nextAttemptAt}, not at the end of its fault, ${end}`,
      );
    }
    if (attempts === 0 || this.#retried.has(`${id}.${attempts + 1}`)) {
      const isHeldBack = this.#world.deliveriesPaused && nextAttemptAt <= this.#world.now;
      return must(isHeldBack || isDisconnected(endpoint), `${id} was to be attempted at once`);
    }
    const expected = (lastAttemptAt ?? -1) + (waitsMs[attempts] ?? Infinity);
    const wasReleased = this.#releasedAt.has(nextAttemptAt) && nextAttemptAt > expected;
    must(nextAttemptAt === expected || wasReleased, `${id} is due at ${nextAttemptAt}, not at ${expected}`);
  }
}

/** Only what is finished goes, the oldest, no more than asked; and the counts say what is there. */
function checkDropped(
  { deliveries, events, keepDeliveries, undelivered }: World,
  goneDeliveries: readonly Delivery[],
  goneEvents: readonly AnnouncedEvent[],
): void {
  const finished = deliveries.rows.filter(({ status }) => status !== 'PENDING');
  must(
    finished.length <= keepDeliveries && undelivered.size <= keepDeliveries,
    `more is kept than ${keepDeliveries}`,
  );
  const delivered = new Set(deliveries.rows.map(({ event }) => event));
  mustBeSame(
    [...undelivered],
    events.rows.filter((event) => !delivered.has(event)),
    'without a delivery',
  );
  for (const event of delivered) must(events.byId.get(event.id) === event, `${event.id} went too early`);
  if (goneDeliveries.length + goneEvents.length === 0) return;
  const newestGone = goneDeliveries.at(-1)?.ordinal ?? -1;
  must(
    goneDeliveries.every(({ status }) => status !== 'PENDING'),
    'a pending delivery was dropped',
  );
  must(
    finished.every(({ ordinal }) => ordinal > newestGone),
    'a delivery went before an older one',
  );
  must(
    goneEvents.every((event) => !delivered.has(event)),
    'an event went before its last delivery',
  );
}

function isAwayFrom({ endpoints }: World, { endpointId }: Delivery): boolean {
  const endpoint = endpoints.get(endpointId);
  return endpoint !== undefined && isDisconnected(endpoint);
}

/** Commands that start what was held back. */
const RELEASING: ReadonlySet<string> = new Set([
  'deliveries.resume',
  'listener.connect',
  'listener.lose',
  'fault.remove',
  'incident.stop',
  'endpoint.delete',
]);

/** A fault fires no oftener than it may and than it looked, and none waits for an endpoint that is gone. */
function checkFaults({ faults, endpoints, deliveries }: World): void {
  const hits = new Map<string, number>();
  for (const { faults: inFlight, log } of deliveries.rows) {
    for (const { id } of [...inFlight, ...log.flatMap((attempt) => attempt.faults ?? [])]) {
      hits.set(id, (hits.get(id) ?? 0) + 1);
    }
  }
  must(faults.size <= LIMITS.faults, 'there are more faults than there may be');
  for (const { id, match, seen, fired, count, probability } of faults.values()) {
    must(fired <= seen && fired <= (count ?? Infinity), `fault ${id} fired ${fired} times of ${seen}`);
    const { nth, every = 1 } = match;
    const hit = nth === undefined ? Math.floor(seen / every) : Number(seen >= nth && nth % every === 0);
    const most = Math.min(count ?? Infinity, hit);
    must(probability < 1 || fired === Math.min(seen, most), `fault ${id} left some out`);
    if (match.on === 'call') continue;
    must(match.endpointId === null || endpoints.has(match.endpointId), `fault ${id} waits for nobody`);
    must((hits.get(id) ?? 0) <= fired, `fault ${id} hit more attempts than it fired on`);
  }
}

/** A session says when it was decided, and only who was approved has an euid: for each document of a type one, and for no other. */
function checkSessions({ sessions, now }: World): void {
  const people = new Map<string, string>();
  for (const session of sessions.rows) {
    const { id, status, customerType, document, euid, decidedAt, readableAt, expiresAt } = session;
    const hasLapsed = status === 'expired' && decidedAt === null;
    must(
      (decidedAt === null) === (isUndecided(session) || hasLapsed),
      `session ${id} is ${status} and was decided at ${decidedAt}`,
    );
    must((decidedAt === null) === (readableAt === null), `session ${id} is readable without a decision`);
    must(!isUndecided(session) || now < expiresAt, `session ${id} outlived its time`);
    must((euid !== null) === (status === 'approved'), `session ${id} is ${status} and has the euid ${euid}`);
    if (euid === null) continue;
    const person = document === null ? id : `${customerType} ${document}`;
    must((people.get(euid) ?? person) === person, `the euid ${euid} stands for two`);
    people.set(euid, person);
  }
  must(new Set(people.values()).size === people.size, 'somebody has two euids');
}

/** What is to come is on the agenda exactly once, nothing else is, and nothing on it is overdue. */
function checkAgenda(world: World): void {
  const expected = [
    ...world.charges.rows
      .filter(({ status }) => status === 'PENDING')
      .map(({ expiresAt, ordinal }) => `${expiresAt} charge.expire ${ordinal}`),
    ...world.charges.rows
      .filter(({ status }) => status === 'PENDING' && world.autoSettleMs !== null)
      .map(({ createdAt, ordinal }) => {
        const delayMs = drawDelay(world, world.autoSettleMs ?? 0, 'settleDelay', [ordinal]);
        return `${createdAt + delayMs} charge.settle ${ordinal}`;
      }),
    ...world.deliveries.rows
      .filter((delivery) => delivery.nextAttemptAt !== null && !isAwayFrom(world, delivery))
      .filter(({ nextAttemptAt }) => !world.deliveriesPaused || Number(nextAttemptAt) > world.now)
      .map(({ nextAttemptAt, ordinal }) => `${nextAttemptAt} delivery.attempt ${ordinal}`),
    ...world.sessions.rows
      .filter(isUndecided)
      .map(({ expiresAt, ordinal }) => `${expiresAt} session.lapse ${ordinal}`),
    ...world.sessions.rows
      .filter(({ readableAt }) => (readableAt ?? 0) > world.now)
      .map(({ readableAt, ordinal }) => `${readableAt} session.decide ${ordinal}`),
    ...[...world.faults.values()]
      .filter(({ from = 0 }) => from > world.now)
      .map(({ from, ordinal }) => `${from} fault.start ${ordinal}`),
    ...[...world.faults.values()]
      .filter(({ until }) => until !== undefined)
      .map(({ until, ordinal }) => `${until} fault.end ${ordinal}`),
  ];
  const standing = Object.values(world.agenda)
    .flat()
    .filter((item) => isStillValid(world, item));
  const planned = standing.map(({ at, kind, ordinal }) => `${at} ${kind} ${ordinal}`);
  const [found, wanted] = [planned.sort().join(', '), expected.sort().join(', ')];
  must(found === wanted, `the agenda is ${found}; wanted ${wanted}`);
  must(
    standing.every(({ at }) => at > world.now),
    'something on the agenda is overdue',
  );
}

/** Every way to a row leads to the same row. */
/** The counts of each table with statuses are those that a recount gives. */
export function checkCounts({ charges, withdrawals, deliveries, sessions }: World): void {
  for (const { rows, counts } of [charges, withdrawals, deliveries, sessions] as const) {
    const left = new Map(counts);
    for (const { status } of rows) left.set(status, (left.get(status) ?? 0) - 1);
    must(
      [...left.values()].every((count) => count === 0),
      `counts are off by ${[...left].join('; ')}`,
    );
  }
}

function checkTables(world: World): void {
  const { apps, charges, withdrawals, events, deliveries, endpoints, organizations, sessions } = world;
  const tables: Table<{ readonly id: string; readonly ordinal: number }>[] = [
    apps,
    charges,
    withdrawals,
    events,
    deliveries,
    organizations,
    sessions,
  ];
  for (const { rows, byId } of tables) {
    must(byId.size === rows.length, 'a table and its index differ');
    rows.forEach((row, index) => {
      const before = rows[index - 1]?.ordinal ?? -1;
      must(row.ordinal > before && byId.get(row.id) === row, `row ${row.id} is misplaced`);
    });
  }
  const complete = [apps, charges, withdrawals, organizations, sessions];
  for (const { rows } of complete)
    must(
      rows.every(({ ordinal }, at) => ordinal === at),
      'a row is missing',
    );
  const counts = [world.eventCount, world.deliveryCount];
  const newest = [events, deliveries].map(({ rows }) => rows.at(-1)?.ordinal ?? -1);
  must(
    newest.every((ordinal, at) => ordinal < (counts[at] ?? 0)),
    'a row is beyond the count',
  );
  checkCounts(world);
  for (const app of apps.rows) {
    must(world.appsByToken.get(app.token) === app, `the token of ${app.id} leads elsewhere`);
    const own = <Row extends { readonly appId: string }>(rows: readonly Row[]) =>
      rows.filter(({ appId }) => appId === app.id);
    mustBeSame([...app.chargesByCode.values()], own(charges.rows), 'charges by code');
    mustBeSame([...app.withdrawalsByCode.values()], own(withdrawals.rows), 'withdrawals by code');
    mustBeSame(app.withdrawals, own(withdrawals.rows), 'withdrawals of an application');
  }
  for (const { id, sessionsByKey } of organizations.rows) {
    const own = sessions.rows.filter((row) => row.organizationId === id && row.idempotencyKey !== null);
    mustBeSame([...sessionsByKey.values()], own, 'sessions by key');
  }
  for (const endpoint of endpoints.values()) {
    const own = deliveries.rows.filter(({ endpointId }) => endpointId === endpoint.id);
    mustBeSame(endpoint.deliveries, own, 'deliveries of an endpoint');
  }
}

function mustBeSame(rows: readonly object[], expected: readonly object[], what: string): void {
  const isSame = rows.length === expected.length && rows.every((row, index) => row === expected[index]);
  must(isSame, `${what}: another list of rows than the world's`);
}
