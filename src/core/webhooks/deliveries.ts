import type { AttemptError } from '../../contract/enums.js';
import { LIMITS, RETRY_SCHEDULES, type RetrySchedule } from '../../contract/limits.js';
import { requireFound, Refusal } from '../../contract/refusals.js';
import type { DeliveryStatus } from '../../contract/transitions.js';
import { matchesGlob } from '../../text/globs.js';
import { parseListenerName } from '../../text/listener-name.js';
import { scheduleItem, unscheduleItems } from '../agenda.js';
import type { ApplyStep } from '../effects.js';
import { createId } from '../ids.js';
import { insertRow, removeRow, removeInPlace, setStatus } from '../table.js';
import type { AnnouncedEvent, Attempt, Delivery, Endpoint, World } from '../world.js';
import { type AttemptFaultTarget, fireHold, fireOnAttempt } from './faults.js';

/** Retention drops an additional tenth of the cap, so tables are rebuilt only once for many rows. */
const PARTS = 10;

/**
 * Drops the oldest finished deliveries beyond the cap, each event with its last delivery, and the oldest
 * excess events without deliveries. Never drops PENDING deliveries, payments or the ledger.
 */
export function dropOldestDeliveries({ world, effects }: ApplyStep): void {
  const { deliveries, events, undelivered, endpoints, keepDeliveries } = world;
  const finished = countFinished(world);
  if (finished <= keepDeliveries && undelivered.size <= keepDeliveries) return;
  const isFinished = ({ status }: { readonly status: string }) => status !== 'PENDING';
  const gone = new Set(deliveries.rows.filter(isFinished).slice(0, excess(finished, keepDeliveries)));
  const goneEvents = new Set(Array.from(gone, ({ event }) => event));
  removeRow(deliveries, gone);
  for (const endpoint of endpoints.values()) removeInPlace(endpoint.deliveries, (row) => gone.has(row));
  for (const { event } of deliveries.rows) goneEvents.delete(event);
  for (const event of [...undelivered].slice(0, excess(undelivered.size, keepDeliveries)))
    goneEvents.add(event);
  for (const event of goneEvents) undelivered.delete(event);
  removeRow(events, goneEvents);
  const inOrder = [...goneEvents].sort((a, b) => a.ordinal - b.ordinal);
  effects.push({ type: 'dropped', deliveries: [...gone], events: inOrder });
}

/** Counts DELIVERED and FAILED deliveries. */
export function countFinished({ deliveries: { rows, counts } }: World): number {
  return rows.length - (counts.get('PENDING') ?? 0);
}

/** Returns the number of rows to drop: zero up to the cap, otherwise enough to leave room for new rows. */
function excess(count: number, cap: number): number {
  return count <= cap ? 0 : count - cap + Math.floor(cap / PARTS);
}

/** Returns a hint for unknown events and deliveries; empty if nothing was dropped. */
export function createDroppedHint({
  eventCount,
  events,
  deliveryCount,
  deliveries,
  keepDeliveries,
}: World): string {
  if (eventCount === events.rows.length && deliveryCount === deliveries.rows.length) return '';
  return (
    `Old events and deliveries may have been dropped: the sandbox keeps ${keepDeliveries} finished deliveries, and ` +
    `\`npx sandbox start --keep-deliveries N\` keeps more. `
  );
}

/** Attempt in a delivery's schedule (§8); instants are sandbox time in milliseconds. */
export interface ScheduledAttempt {
  readonly number: number;
  /** Past or future due time; null if the attempt won't be made. */
  readonly dueAt: number | null;
  readonly startedAt?: number;
  /** Absent until the attempt ends. */
  readonly outcome?: 'succeeded' | 'failed';
}

/**
 * Lists all attempts of a delivery: stored attempts, any attempt in flight, and future attempts if every
 * attempt fails. Held attempts can't start before `now`.
 */
export function listScheduledAttempts(
  { endpoints }: World,
  delivery: Delivery,
  now: number,
): ScheduledAttempt[] {
  const waitsMs: readonly number[] = RETRY_SCHEDULES[endpoints.get(delivery.endpointId)?.schedule ?? 'real'];
  return [...listStartedAttempts(delivery, waitsMs), ...listFutureAttempts(delivery, waitsMs, now)];
}

function listStartedAttempts(delivery: Delivery, waitsMs: readonly number[]): ScheduledAttempt[] {
  const { log, inFlight, attempts, attemptLimit, lastAttemptAt, createdAt } = delivery;
  const openAt = inFlight ? lastAttemptAt : null;
  const all: (Pick<Attempt, 'number' | 'startedAt'> & Partial<Attempt>)[] = [
    ...log,
    ...(openAt === null ? [] : [{ number: attempts, startedAt: openAt }]),
  ];
  return all.map(({ number, startedAt, error }, index): ScheduledAttempt => {
    const earlier = number === 1 ? createdAt : all[index - 1]?.startedAt;
    const waitMs = waitsMs[number - 1];
    // A manual retry is due when requested, and makes the attempt limit differ from the schedule's length.
    const isManual = number === attemptLimit && attemptLimit !== waitsMs.length;
    const plannedAt =
      earlier === undefined || waitMs === undefined || isManual ? startedAt : earlier + waitMs;
    // A reconnected listener can have shorter delays.
    const made = { number, dueAt: Math.min(plannedAt, startedAt), startedAt };
    return error === undefined
      ? made
      : Object.assign(made, { outcome: error === null ? ('succeeded' as const) : ('failed' as const) });
  });
}

function listFutureAttempts(delivery: Delivery, waitsMs: readonly number[], now: number): ScheduledAttempt[] {
  const { status, inFlight, attempts, attemptLimit, lastAttemptAt, nextAttemptAt } = delivery;
  let dueAt =
    status !== 'PENDING' ? null : inFlight ? after(lastAttemptAt, waitsMs[attempts]) : nextAttemptAt;
  return Array.from({ length: attemptLimit - attempts }, (_, index): ScheduledAttempt => {
    const number = attempts + index + 1;
    const scheduled = { number, dueAt };
    dueAt = after(dueAt === null ? null : Math.max(dueAt, now), waitsMs[number]);
    return scheduled;
  });
}

function after(at: number | null, waitMs: number | undefined): number | null {
  return at === null || waitMs === undefined ? null : at + waitMs;
}

/** Selects deliveries to retry; `eventType` can be a pattern with `*`. */
export interface RetryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly endpointId?: string | undefined;
}

/** Reasons for skipping a matching delivery. */
const SKIP_REASONS = ['pending', 'delivered', 'disabled', 'deleted', 'away'] as const;
type SkippedFor = (typeof SKIP_REASONS)[number];

export interface RetryAllResult {
  readonly retried: readonly Delivery[];
  readonly skipped: ReadonlyMap<SkippedFor, number>;
}

/** Adds one attempt to every matching dead letter, in order, and counts skipped deliveries. */
export function retryAll(step: ApplyStep, filter: RetryFilter): RetryAllResult {
  const { status: wanted = 'FAILED', eventType = '*', endpointId } = filter;
  const retried: Delivery[] = [];
  const skipped = new Map<SkippedFor, number>();
  for (const delivery of step.world.deliveries.rows) {
    const { event, status } = delivery;
    if (status !== wanted || !matchesGlob(eventType, event.type)) continue;
    if (endpointId !== undefined && delivery.endpointId !== endpointId) continue;
    const why =
      status === 'FAILED'
        ? unreachable(step.world, delivery)
        : status === 'PENDING'
          ? 'pending'
          : 'delivered';
    if (why === null) {
      retryDelivery(step, delivery);
      retried.push(delivery);
    } else skipped.set(why, (skipped.get(why) ?? 0) + 1);
  }
  return { retried, skipped };
}

/** Lists paused deliveries with a due attempt, in order of due time. */
export function listHeldDeliveries(world: World): Delivery[] {
  if (!world.deliveriesPaused) return [];
  return world.deliveries.rows
    .filter((delivery) => findBlocker(world, delivery) === 'paused')
    .sort((a, b) => (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || a.ordinal - b.ordinal);
}

/** Starts a due attempt, unless deliveries are paused or a fault holds the attempt until its end. */
export function runAttempt(step: ApplyStep, delivery: Delivery): void {
  if (step.world.deliveriesPaused) return;
  const fault = fireHold(step, faultTargetOf(step.world, delivery, delivery.attempts + 1));
  if (fault?.until === undefined) return startAttempt(step, delivery);
  delivery.heldBy = fault.id;
  delivery.nextAttemptAt = fault.until;
  scheduleAttempt(step.world, delivery);
  step.effects.push({ type: 'held', delivery, fault });
}

export function pauseDeliveries({ world }: ApplyStep): void {
  world.deliveriesPaused = true;
}

/** Starts all paused attempts now, in order of due time, and returns their deliveries. */
export function resumeDeliveries(step: ApplyStep): Delivery[] {
  const held = listHeldDeliveries(step.world);
  step.world.deliveriesPaused = false;
  for (const delivery of held) runAttempt(step, delivery);
  return held.filter(({ inFlight }) => inFlight);
}

/** Reasons why a delivery's next attempt can be blocked. */
export const BLOCKERS = ['disabled', 'deleted', 'away', 'paused', 'fault'] as const;
type Blocker = (typeof BLOCKERS)[number];

/**
 * Returns true for a disconnected listener, which gets no new deliveries. Pending deliveries are held until
 * the listener reconnects.
 */
export function isDisconnected({ transport, connected }: Endpoint): boolean {
  return transport === 'listener' && !connected;
}

/** Returns why the next attempt is blocked, or null. */
export function findBlocker(world: World, delivery: Delivery): Blocker | null {
  const { status, inFlight, nextAttemptAt } = delivery;
  if (status === 'DELIVERED' || inFlight) return null;
  const isHeldBack = world.deliveriesPaused && nextAttemptAt !== null && nextAttemptAt <= world.now;
  const heldBack = isHeldBack ? 'paused' : delivery.heldBy === undefined ? null : 'fault';
  return unreachable(world, delivery) ?? heldBack;
}

/** Returns a hint for releasing a held delivery; undefined if the next attempt starts automatically. */
function releaseHint(world: World, delivery: Delivery): string | undefined {
  const obstacle = findBlocker(world, delivery);
  if (obstacle === 'paused') return 'Deliveries are paused; `npx sandbox deliveries resume` releases them.';
  if (obstacle !== 'away') return undefined;
  return `The delivery is held until its listener reconnects; start ${listenOf(world, delivery)} again.`;
}

function listenOf({ endpoints }: World, { endpointId }: Delivery): string {
  return `\`npx sandbox listen --name ${parseListenerName(endpoints.get(endpointId)?.url ?? '')}\``;
}

/** Returns why a delivery's endpoint accepts no attempts, or null. */
function unreachable(
  { endpoints }: World,
  { endpointId }: Delivery,
): Exclude<Blocker, 'fault' | 'paused'> | null {
  const endpoint = endpoints.get(endpointId);
  if (endpoint === undefined) return 'deleted';
  if (endpoint.status === 'DISABLED') return 'disabled';
  return isDisconnected(endpoint) ? 'away' : null;
}

function checkReachable(world: World, delivery: Delivery): void {
  const { endpointId, event } = delivery;
  const obstacle = unreachable(world, delivery);
  if (obstacle === null) return;
  const resend = `\`npx sandbox events resend ${event.id}\` sends the event to the current endpoints.`;
  const hints = {
    disabled: `Enable the endpoint first: \`npx sandbox endpoints enable ${endpointId}\`.`,
    deleted: resend,
    away: `Start ${listenOf(world, delivery)} again, then retry; or ${resend}`,
  };
  const state = obstacle === 'away' ? 'disconnected' : obstacle;
  throw new Refusal('ENDPOINT_UNAVAILABLE', `The delivery’s endpoint ${endpointId} is ${state}.`, {
    hint: hints[obstacle],
  });
}

/** Outcome of an attempt, reported by the worker; `error` is null if the receiver accepted the webhook. */
interface AttemptOutcome {
  readonly deliveryId: string;
  readonly number: number;
  readonly status: number | null;
  readonly error: AttemptError | null;
}

export function addDelivery(step: ApplyStep, endpoint: Endpoint, event: AnnouncedEvent): Delivery {
  const { world, now } = step;
  const ordinal = world.deliveryCount;
  world.deliveryCount += 1;
  const delivery = insertRow<Delivery>(world.deliveries, {
    ordinal,
    id: createId(world, 'delivery', ordinal),
    event,
    endpointId: endpoint.id,
    createdAt: now,
    status: 'PENDING',
    attempts: 0,
    attemptLimit: RETRY_SCHEDULES[endpoint.schedule].length,
    inFlight: false,
    faults: [],
    lastAttemptAt: null,
    lastStatus: null,
    lastError: null,
    nextAttemptAt: now,
    deliveredAt: null,
    log: [],
  });
  endpoint.deliveries.push(delivery);
  scheduleItem(world.agenda, now, 'delivery.attempt', ordinal);
  step.effects.push({ type: 'delivery', delivery, from: null, to: 'PENDING' });
  return delivery;
}

function startAttempt(step: ApplyStep, delivery: Delivery): void {
  delivery.attempts += 1;
  delivery.inFlight = true;
  delivery.lastAttemptAt = step.now;
  delivery.nextAttemptAt = null;
  delete delivery.heldBy;
  delivery.faults = fireOnAttempt(step, faultTargetOf(step.world, delivery, delivery.attempts));
  step.effects.push({ type: 'attempt', delivery, number: delivery.attempts, at: step.now });
}

function faultTargetOf(
  { endpoints }: World,
  { event, endpointId, ordinal }: Delivery,
  attempt: number,
): AttemptFaultTarget {
  const endpoint = endpoints.get(endpointId);
  return {
    eventType: event.type,
    code: event.resource.code,
    resource: event.resource.ordinal + 1,
    endpointId,
    targets: [endpoint?.url, getForwardTarget(endpoint)].filter((target) => target !== undefined),
    deliveryOrdinal: ordinal,
    attempt,
  };
}

/** Returns a listener's forward target, which is not a URL if the listener calls a function. */
export function getForwardTarget(endpoint: Endpoint | undefined): string | undefined {
  return endpoint?.description?.split(' ').at(-1);
}

/** Records the outcome of an attempt; ignores attempts no longer in flight. */
export function recordOutcome(
  step: ApplyStep,
  { deliveryId, number, status, error }: AttemptOutcome,
): boolean {
  const delivery = step.world.deliveries.byId.get(deliveryId);
  if (delivery === undefined || !delivery.inFlight || delivery.attempts !== number) return false;
  const attempt = endAttempt(step, delivery, { status, error });
  step.effects.push({ type: 'attempt.ended', delivery, attempt });
  return true;
}

type Ending = Pick<AttemptOutcome, 'status' | 'error'>;

function logAttempt(delivery: Delivery, startedAt: number, outcome: Ending): Attempt {
  delivery.inFlight = false;
  delivery.lastStatus = outcome.status;
  delivery.lastError = outcome.error;
  const { faults } = delivery;
  delivery.faults = [];
  const attempt: Attempt = {
    number: delivery.attempts,
    startedAt,
    ...outcome,
    ...(faults.length > 0 ? { faults } : {}),
  };
  delivery.log = [...delivery.log.slice(1 - LIMITS.attemptsKept), attempt];
  return attempt;
}

function endAttempt(step: ApplyStep, delivery: Delivery, outcome: Ending): Attempt {
  const { world, now } = step;
  const startedAt = delivery.lastAttemptAt ?? now;
  const attempt = logAttempt(delivery, startedAt, outcome);
  const waitMs = waitBeforeNext(world, delivery);
  if (outcome.error === null) {
    delivery.deliveredAt = now;
    become(step, delivery, 'DELIVERED');
  } else if (waitMs === undefined) {
    become(step, delivery, 'FAILED');
  } else {
    delivery.nextAttemptAt = startedAt + waitMs;
    const endpoint = world.endpoints.get(delivery.endpointId);
    if (endpoint !== undefined && !isDisconnected(endpoint)) scheduleAttempt(world, delivery);
    become(step, delivery, 'PENDING');
  }
  return attempt;
}

function become(step: ApplyStep, delivery: Delivery, to: DeliveryStatus): void {
  const from = delivery.status;
  setStatus(step.world.deliveries, delivery, to);
  step.effects.push({ type: 'delivery', delivery, from, to });
}

function scheduleAttempt({ agenda }: World, { nextAttemptAt, ordinal }: Delivery): void {
  if (nextAttemptAt !== null) scheduleItem(agenda, nextAttemptAt, 'delivery.attempt', ordinal);
}

/**
 * Returns the milliseconds between the starts of this attempt and the next (§8), or undefined after the last
 * attempt.
 */
function waitBeforeNext(world: World, { endpointId, attempts, attemptLimit }: Delivery): number | undefined {
  if (attempts >= attemptLimit) return undefined;
  const waitsMs: readonly number[] = RETRY_SCHEDULES[world.endpoints.get(endpointId)?.schedule ?? 'real'];
  return waitsMs[attempts];
}

/**
 * Adds one immediate attempt to a dead letter (§4.9), or with `early` makes a waiting attempt due now. Throws,
 * without using an attempt, if the endpoint is unavailable.
 */
export function retryDelivery(step: ApplyStep, delivery: Delivery, { early = false } = {}): void {
  const { status, inFlight } = delivery;
  if (early && status === 'PENDING' && !inFlight && findBlocker(step.world, delivery) === null) {
    delivery.nextAttemptAt = step.now;
    scheduleAttempt(step.world, delivery);
    return;
  }
  if (delivery.status !== 'FAILED') {
    throw new Refusal(
      'DELIVERY_NOT_FAILED',
      `The delivery is ${delivery.status}; only FAILED deliveries can be retried.`,
      {
        hint:
          delivery.status === 'PENDING'
            ? (releaseHint(step.world, delivery) ??
              'The next attempt is automatic; `npx sandbox clock next` advances the clock to this attempt.')
            : 'To resend a delivered event, use `npx sandbox events resend`.',
      },
    );
  }
  checkReachable(step.world, delivery);
  delivery.attemptLimit = delivery.attempts + 1;
  delivery.nextAttemptAt = step.now;
  scheduleAttempt(step.world, delivery);
  become(step, delivery, 'PENDING');
}

/** Returns the attempt limit at the time of this attempt; each later manual retry adds one. */
export function limitAtAttempt({ endpoints }: World, delivery: Delivery, number: number): number {
  const { endpointId, attemptLimit } = delivery;
  if (number === attemptLimit) return attemptLimit;
  return Math.max(RETRY_SCHEDULES[endpoints.get(endpointId)?.schedule ?? 'real'].length, number);
}

/** Counts attempts with an outcome, i.e. all except an attempt in flight. */
export function countEndedAttempts({ attempts, inFlight }: Delivery): number {
  return inFlight ? attempts - 1 : attempts;
}

/** Removes a listener's pending deliveries from the agenda until the listener reconnects. */
export function holdPendingDeliveries({ world }: ApplyStep, { deliveries }: Endpoint): void {
  const pending = deliveries.filter(({ status }) => status === 'PENDING').map(({ ordinal }) => ordinal);
  if (pending.length > 0) unscheduleItems(world.agenda, 'delivery.attempt', new Set(pending));
}

/** Lists the deliveries held until a listener reconnects. */
export function listDeliveriesHeldFor({ deliveries }: Endpoint): Delivery[] {
  return deliveries.filter(({ status, inFlight }) => status === 'PENDING' && !inFlight);
}

/**
 * Reschedules the held deliveries of a reconnected listener: due attempts start now, in order. Automatic
 * attempts follow the new schedule; a shorter schedule still allows one more attempt.
 */
export function releaseHeldDeliveries(step: ApplyStep, endpoint: Endpoint, earlier: RetrySchedule): void {
  const waitsMs: readonly number[] = RETRY_SCHEDULES[endpoint.schedule];
  for (const delivery of listDeliveriesHeldFor(endpoint)) {
    const { attempts, attemptLimit, lastAttemptAt } = delivery;
    const isAutomatic = attemptLimit === RETRY_SCHEDULES[earlier].length;
    if (isAutomatic && endpoint.schedule !== earlier) {
      const waitMs = waitsMs[attempts];
      delivery.attemptLimit = Math.max(waitsMs.length, attempts + 1);
      if (lastAttemptAt !== null && waitMs !== undefined) {
        delivery.nextAttemptAt = lastAttemptAt + waitMs;
        delete delivery.heldBy;
      }
    }
    scheduleAttempt(step.world, delivery);
  }
}

export function failPendingDeliveries(
  step: ApplyStep,
  deliveries: readonly Delivery[],
  error: 'ENDPOINT_DISABLED' | 'LISTENER_LEFT',
): void {
  for (const delivery of deliveries) {
    if (delivery.status !== 'PENDING') continue;
    if (delivery.inFlight) logAttempt(delivery, delivery.lastAttemptAt ?? step.now, { status: null, error });
    delivery.lastError = error;
    delivery.nextAttemptAt = null;
    delete delivery.heldBy;
    become(step, delivery, 'FAILED');
  }
}

export function findDelivery(world: World, id: string): Delivery {
  const hint = `${createDroppedHint(world)}Find the id with \`npx sandbox deliveries list\`.`;
  return requireFound(world.deliveries.byId.get(id), `delivery ${id}`, hint);
}
