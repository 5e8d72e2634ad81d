import type { RetrySchedule } from '../../contract/limits.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import type { DeliveryView, EventLine } from '../../http/control/schema.js';
import type { ReceiverAnswer } from '../format/steps.js';
import type { Recording } from './recording.js';

/** One attempt, as the receiver of a replay answers it. */
interface ReplayedAttempt {
  readonly at: number;
  readonly isRetry: boolean;
  readonly answer: ReceiverAnswer;
}

export interface ReplayedDelivery {
  readonly event: EventLine;
  readonly at: number;
  /** 0 for the first delivery of its event; the others were sent again. */
  readonly copy: number;
  readonly attempts: readonly ReplayedAttempt[];
  /** Its final status; undefined where the end came from outside, such as a listener that left. */
  readonly end: { readonly status: string; readonly attempts: number } | undefined;
}

export interface ReplayedReceiver {
  readonly retries: RetrySchedule;
  /** What it answers, in the order of the attempts. */
  readonly answers: readonly ReceiverAnswer[];
  /** In the order in which they are made. */
  readonly deliveries: readonly ReplayedDelivery[];
}

type LoggedAttempt = DeliveryView['attempt_log'][number];

const ACCEPTED = 200;

/** The receiver with which a replay has the same results; undefined where nothing was delivered. */
export function replayedReceiver({
  deliveries,
  endpoint,
  events,
  now,
}: Recording): ReplayedReceiver | undefined {
  const [first] = deliveries;
  if (first === undefined) return undefined;
  const retries = endpoint?.retries ?? guessedSchedule(deliveries);
  const heard = new Set(deliveries.map((delivery) => delivery.event_id));
  const since = events.slice(events.findIndex(({ id }) => heard.has(id)));
  const replayed = since
    .filter(({ type }) => endpoint?.events.includes(type) ?? true)
    .flatMap((event) => {
      const own = deliveries.filter((delivery) => delivery.event_id === event.id);
      return own.length === 0
        ? [unheard(event)]
        : own.map((delivery, index) => replay(delivery, event, retries, index));
    });
  const until = Date.parse(now);
  const attempts = replayed
    .flatMap((delivery, ordinal) => delivery.attempts.map((attempt) => ({ ...attempt, ordinal, delivery })))
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b) || a.ordinal - b.ordinal);
  return {
    retries,
    answers: withoutRepeats(attempts.map(({ answer }) => answer)),
    deliveries: [...replayed].sort((a, b) => a.at - b.at || Number(a.copy > 0) - Number(b.copy > 0)),
  };
}

/** The order within one instant: first the events, then resent events, then retries. */
function rankOf({ isRetry, delivery }: ReplayedAttempt & { delivery: ReplayedDelivery }): number {
  return isRetry ? 2 : Number(delivery.copy > 0);
}

function withoutRepeats(answers: readonly ReceiverAnswer[]): readonly ReceiverAnswer[] {
  const last = answers.at(-1);
  const end = answers.findLastIndex((answer) => answer !== last);
  return answers.slice(0, end + 2);
}

/** An event that missed the endpoint, because it was disconnected; in a replay the receiver accepts it. */
function unheard(event: EventLine): ReplayedDelivery {
  const at = Date.parse(event.created_at);
  return { event, at, copy: 0, attempts: [{ at, isRetry: false, answer: ACCEPTED }], end: undefined };
}

function replay(
  { created_at: createdAt, attempt_log: log, status, attempts: count }: DeliveryView,
  event: EventLine,
  retries: RetrySchedule,
  copy: number,
): ReplayedDelivery {
  const at = Date.parse(createdAt);
  const waitsMs: readonly number[] = RETRY_SCHEDULES[retries];
  const attempts: ReplayedAttempt[] = [];
  let dueAt = at;
  for (const logged of log) {
    const startedAt = Date.parse(logged.started_at);
    const isRetry = attempts.length >= waitsMs.length;
    const isExpected = logged.number === attempts.length + 1 && (isRetry || startedAt === dueAt);
    if (!isExpected) break;
    attempts.push({ at: startedAt, isRetry, answer: answerOf(logged) });
    dueAt = startedAt + (waitsMs[attempts.length] ?? 0);
  }
  const isAccepted = attempts.at(-1)?.answer === ACCEPTED;
  const isExhausted = attempts.length >= waitsMs.length;
  const isWhole = attempts.length === count && (status !== 'FAILED' || isExhausted);
  const goesOn = !isWhole && !isAccepted && !isExhausted;
  return {
    event,
    at,
    copy,
    attempts: goesOn ? [...attempts, { at: dueAt, isRetry: false, answer: ACCEPTED }] : attempts,
    end: isWhole ? { status, attempts: count } : undefined,
  };
}

function answerOf({ response_status: status, error }: LoggedAttempt): ReceiverAnswer {
  if (error === null) return ACCEPTED;
  if (status !== null) return status;
  return error === 'TIMEOUT' ? 'timeout' : 'reset';
}

/** The retry schedule of a deleted endpoint, inferred from the times of its attempts. */
function guessedSchedule(deliveries: readonly DeliveryView[]): RetrySchedule {
  const waitsMs = deliveries.flatMap(({ attempt_log: [one, two] }) =>
    one === undefined || two === undefined ? [] : [Date.parse(two.started_at) - Date.parse(one.started_at)],
  );
  const schedules = Object.keys(RETRY_SCHEDULES) as RetrySchedule[];
  const known = schedules.find((name) => waitsMs.some((waitMs) => RETRY_SCHEDULES[name][1] === waitMs));
  return known ?? (deliveries.some(({ attempt_limit: limit }) => limit === 1) ? 'off' : 'real');
}
