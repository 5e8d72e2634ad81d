import { RETRY_SCHEDULES } from '../../contract/limits.js';
import type { Attempt, Delivery, World } from '../world.js';

/** An attempt in the schedule of a delivery (§8); instants are sandbox time in milliseconds. */
export interface ScheduledAttempt {
  readonly number: number;
  /** When it was or will be due; null when it will not be made. */
  readonly dueAt: number | null;
  /** When it started. */
  readonly startedAt?: number;
  /** Absent while it is under way. */
  readonly outcome?: 'succeeded' | 'failed';
}

/**
 * Every attempt of a delivery: those kept of the past, the one under way, and those that follow if all of them fail. What is held
 * cannot start before `now`.
 */
export function scheduleOf({ endpoints }: World, delivery: Delivery, now: number): ScheduledAttempt[] {
  const waitsMs: readonly number[] = RETRY_SCHEDULES[endpoints.get(delivery.endpointId)?.schedule ?? 'real'];
  return [...started(delivery, waitsMs), ...toCome(delivery, waitsMs, now)];
}

function started(delivery: Delivery, waitsMs: readonly number[]): ScheduledAttempt[] {
  const { log, inFlight, attempts, attemptLimit, lastAttemptAt, createdAt } = delivery;
  const openAt = inFlight ? lastAttemptAt : null;
  const all: (Pick<Attempt, 'number' | 'startedAt'> & Partial<Attempt>)[] = [
    ...log,
    ...(openAt === null ? [] : [{ number: attempts, startedAt: openAt }]),
  ];
  return all.map(({ number, startedAt, error }, index): ScheduledAttempt => {
    const earlier = number === 1 ? createdAt : all[index - 1]?.startedAt;
    const waitMs = waitsMs[number - 1];
    // The limit differs from the schedule's own after a manual retry, which was due when it was asked for.
    const isManual = number === attemptLimit && attemptLimit !== waitsMs.length;
    const plannedAt =
      earlier === undefined || waitMs === undefined || isManual ? startedAt : earlier + waitMs;
    // A listener may have come back with shorter waits.
    const made = { number, dueAt: Math.min(plannedAt, startedAt), startedAt };
    return error === undefined ? made : Object.assign(made, { outcome: outcomeOf(error) });
  });
}

function outcomeOf(error: Attempt['error']): 'succeeded' | 'failed' {
  return error === null ? 'succeeded' : 'failed';
}

function toCome(delivery: Delivery, waitsMs: readonly number[], now: number): ScheduledAttempt[] {
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
