import { schedule, unschedule } from '../agenda.js';
import type { AttemptError } from '../../contract/attempt-errors.js';
import type { Step } from '../effects.js';
import { droppedHint } from './retention.js';
import { fireOnAttempt } from './faults.js';
import { idFor } from '../ids.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import type { RetrySchedule } from '../../contract/limits.js';
import { checkReachable, isAway, releaseHint } from './obstacles.js';
import { existing, Refusal } from '../../contract/refusals.js';
import type { DeliveryStatus } from '../../contract/transitions.js';
import { checkTransition } from '../../contract/transitions.js';
import type { AnnouncedEvent, Attempt, Delivery, Endpoint, World } from '../world.js';
import { insert, setStatus } from '../table.js';

/** How an attempt ended, as the worker reports it: `error` is null when the receiver took it. */
export interface Outcome {
  readonly deliveryId: string;
  readonly number: number;
  readonly status: number | null;
  readonly error: AttemptError | null;
}

export function addDelivery(step: Step, endpoint: Endpoint, event: AnnouncedEvent): Delivery {
  const { world, now } = step;
  const ordinal = world.deliveryCount;
  world.deliveryCount += 1;
  const delivery = insert<Delivery>(world.deliveries, {
    ordinal,
    id: idFor(world, 'delivery', ordinal),
    event,
    endpointId: endpoint.id,
    createdAt: now,
    status: 'PENDING',
    attempts: 0,
    attemptLimit: RETRY_SCHEDULES[endpoint.schedule].length,
    inFlight: false,
    faults: NO_FAULTS,
    lastAttemptAt: null,
    lastStatus: null,
    lastError: null,
    nextAttemptAt: now,
    deliveredAt: null,
    log: [],
  });
  endpoint.deliveries.push(delivery);
  schedule(world.agenda, now, 'delivery.attempt', ordinal);
  step.effects.push({ type: 'delivery', delivery, from: null, to: 'PENDING' });
  return delivery;
}

/** Starts a due attempt: it is in flight until its outcome arrives. */
export function startAttempt(step: Step, delivery: Delivery): void {
  delivery.attempts += 1;
  delivery.inFlight = true;
  delivery.lastAttemptAt = step.now;
  delivery.nextAttemptAt = null;
  delivery.faults = faultsOn(step, delivery);
  step.effects.push({ type: 'attempt', delivery, number: delivery.attempts, at: step.now });
}

const NO_FAULTS: Delivery['faults'] = Object.freeze([]);

function faultsOn(step: Step, { event, endpointId, ordinal, attempts }: Delivery): Delivery['faults'] {
  if (step.world.faults.size === 0) return NO_FAULTS;
  const endpoint = step.world.endpoints.get(endpointId);
  return fireOnAttempt(step, {
    eventType: event.type,
    code: event.resource.code,
    resource: event.resource.ordinal + 1,
    endpointId,
    targets: [endpoint?.url, forwardTargetOf(endpoint)].filter((target) => target !== undefined),
    deliveryOrdinal: ordinal,
    attempt: attempts,
  });
}

/** What a listener forwards to; no URL where that is a function. */
export function forwardTargetOf(endpoint: Endpoint | undefined): string | undefined {
  return endpoint?.description?.split(' ').at(-1);
}

/** Records the outcome of an attempt; one that arrives after its delivery was decided changes nothing. */
export function recordOutcome(step: Step, { deliveryId, number, status, error }: Outcome): boolean {
  const delivery = step.world.deliveries.byId.get(deliveryId);
  if (delivery === undefined || !delivery.inFlight || delivery.attempts !== number) return false;
  const attempt = endAttempt(step, delivery, { status, error });
  step.effects.push({ type: 'attempt.ended', delivery, attempt });
  return true;
}

type Ending = Pick<Outcome, 'status' | 'error'>;

/** Writes down how the attempt in flight ended. */
function logAttempt(delivery: Delivery, startedAt: number, outcome: Ending): Attempt {
  delivery.inFlight = false;
  delivery.lastStatus = outcome.status;
  delivery.lastError = outcome.error;
  const { faults } = delivery;
  delivery.faults = NO_FAULTS;
  const attempt: Attempt = {
    number: delivery.attempts,
    startedAt,
    ...outcome,
    ...(faults.length > 0 ? { faults } : {}),
  };
  // An array of just this size: one that grows by a push or a spread has room for seventeen.
  delivery.log = delivery.log.slice(1 - LIMITS.attemptsKept).concat(attempt);
  return attempt;
}

function endAttempt(step: Step, delivery: Delivery, outcome: Ending): Attempt {
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
    if (endpoint !== undefined && !isAway(endpoint)) scheduleAttempt(world, delivery);
    become(step, delivery, 'PENDING');
  }
  return attempt;
}

function become(step: Step, delivery: Delivery, to: DeliveryStatus): void {
  const from = delivery.status;
  if (from !== to) checkTransition('delivery', from, to);
  setStatus(step.world.deliveries, delivery, to);
  step.effects.push({ type: 'delivery', delivery, from, to });
}

function scheduleAttempt({ agenda }: World, { nextAttemptAt, ordinal }: Delivery): void {
  if (nextAttemptAt !== null) schedule(agenda, nextAttemptAt, 'delivery.attempt', ordinal);
}

/** The wait between the start of this attempt and the next (§8), in milliseconds; undefined when there is no next. */
function waitBeforeNext(world: World, { endpointId, attempts, attemptLimit }: Delivery): number | undefined {
  if (attempts >= attemptLimit) return undefined;
  const waitsMs: readonly number[] = RETRY_SCHEDULES[world.endpoints.get(endpointId)?.schedule ?? 'real'];
  return waitsMs[attempts];
}

/** Gives a dead letter one more attempt, at once (§4.9). Refused, at no cost, while its endpoint takes none. */
export function retryDelivery(step: Step, delivery: Delivery): void {
  if (delivery.status !== 'FAILED') {
    throw new Refusal(
      'DELIVERY_NOT_FAILED',
      `The delivery is ${delivery.status}; only one in FAILED can be retried.`,
      {
        hint:
          delivery.status === 'PENDING'
            ? (releaseHint(step.world, delivery) ??
              'Its next attempt comes by itself; `npx sandbox clock next` jumps to it.')
            : 'To send a delivered event once more, use `npx sandbox events resend`.',
      },
    );
  }
  checkReachable(step.world, delivery);
  delivery.attemptLimit = delivery.attempts + 1;
  delivery.nextAttemptAt = step.now;
  scheduleAttempt(step.world, delivery);
  become(step, delivery, 'PENDING');
}

/** How many attempts have an outcome: all but the one in flight. */
export function attemptsEnded({ attempts, inFlight }: Delivery): number {
  return inFlight ? attempts - 1 : attempts;
}

/** Takes what a listener has pending off the agenda: it is held until the listener returns. */
export function holdPending({ world }: Step, { deliveries }: Endpoint): void {
  const pending = deliveries.filter(({ status }) => status === 'PENDING').map(({ ordinal }) => ordinal);
  if (pending.length > 0) unschedule(world.agenda, 'delivery.attempt', new Set(pending));
}

/** The deliveries of a listener that is away which go on when it returns. */
export function heldFor({ deliveries }: Endpoint): Delivery[] {
  return deliveries.filter(({ status, inFlight }) => status === 'PENDING' && !inFlight);
}

/**
 * Puts the held deliveries of a returned listener back on the agenda: what has fallen due starts now, in that order. Automatic
 * attempts follow the schedule that the listener has now; none is lost if that one is shorter.
 */
export function releaseHeld(step: Step, endpoint: Endpoint, earlier: RetrySchedule): void {
  const waitsMs: readonly number[] = RETRY_SCHEDULES[endpoint.schedule];
  for (const delivery of heldFor(endpoint)) {
    const { attempts, attemptLimit, lastAttemptAt } = delivery;
    const isAutomatic = attemptLimit === RETRY_SCHEDULES[earlier].length;
    if (isAutomatic && endpoint.schedule !== earlier) {
      const waitMs = waitsMs[attempts];
      delivery.attemptLimit = Math.max(waitsMs.length, attempts + 1);
      if (lastAttemptAt !== null && waitMs !== undefined) delivery.nextAttemptAt = lastAttemptAt + waitMs;
    }
    scheduleAttempt(step.world, delivery);
  }
}

/** Fails deliveries whose endpoint is gone. */
export function failPending(
  step: Step,
  deliveries: readonly Delivery[],
  error: 'ENDPOINT_DISABLED' | 'LISTENER_LEFT',
): void {
  for (const delivery of deliveries) {
    if (delivery.status !== 'PENDING') continue;
    if (delivery.inFlight) logAttempt(delivery, delivery.lastAttemptAt ?? step.now, { status: null, error });
    delivery.lastError = error;
    delivery.nextAttemptAt = null;
    become(step, delivery, 'FAILED');
  }
}

export function findDelivery(world: World, id: string): Delivery {
  const hint = `${droppedHint(world)}\`npx sandbox deliveries list\` shows those that exist.`;
  return existing(world.deliveries.byId.get(id), `delivery ${id}`, hint);
}
