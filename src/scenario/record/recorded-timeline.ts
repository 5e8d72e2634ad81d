import { parseDuration } from '../../contract/time.js';
import type { EventLine, SessionView, WithdrawalView } from '../../http/control/schema.js';
import type { ReplayedDelivery, ReplayedReceiver } from './recorded-deliveries.js';
import type { Json, RecordedSteps } from './recorded-steps.js';
import type { Recording } from './recording.js';

/** The order within an instant, which the sandbox does not report: what falls due is done before requests. */
const ORDER = [
  'automatic event',
  'charge',
  'session',
  'event',
  'withdrawal',
  'decision',
  'resend',
  'retry',
  'moment',
] as const;

export interface Happening {
  /** The instant of sandbox time; NaN for what has not happened. */
  readonly at: number;
  readonly kind: (typeof ORDER)[number];
  /** Adds the steps that repeat it; absent where it happened automatically. */
  readonly repeat?: (steps: RecordedSteps) => Json[];
  readonly event?: EventLine;
}

export function timelineOf(recording: Recording, receiver: ReplayedReceiver | undefined): Happening[] {
  const { charges, withdrawals, sessions, events, now } = recording;
  const until = Date.parse(now);
  const all: Happening[] = [
    ...charges.map((charge): Happening => {
      return { at: instant(charge.created_at), kind: 'charge', repeat: (steps) => steps.newCharge(charge) };
    }),
    ...withdrawals
      .filter((withdrawal) => !isMadeByEvent(withdrawal, events))
      .map((withdrawal): Happening => {
        const at = instant(withdrawal.created_at);
        return { at, kind: 'withdrawal', repeat: (steps) => steps.newWithdrawal(withdrawal) };
      }),
    ...sessions.flatMap(sessionHappenings),
    ...events.map((event): Happening => {
      const at = instant(event.created_at);
      return isOwn(event, recording)
        ? { at, kind: 'event', event, repeat: (steps) => steps.made(event) }
        : { at, kind: 'automatic event', event };
    }),
    ...(receiver?.deliveries ?? []).flatMap(deliveryHappenings),
  ];
  return all
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function instant(text: string | null): number {
  return Date.parse(text ?? '');
}

/** Whether a withdrawal's first event came at the instant of its creation: then it is created just before the event. */
export function isMadeByEvent({ id, created_at: at }: WithdrawalView, events: readonly EventLine[]): boolean {
  return events.find(({ resource }) => resource.id === id)?.created_at === at;
}

/** Whether it was caused by a request: a charge that reaches its expiry time expires automatically. */
function isOwn({ type, resource, created_at: at }: EventLine, { charges, assumptions }: Recording): boolean {
  const charge = charges.find(({ id }) => id === resource.id);
  if (type !== 'pix.expired' || charge === undefined) return true;
  const lifetime = assumptions.find(({ id }) => id === 'charge.lifetime')?.value ?? '';
  return Date.parse(at) - Date.parse(charge.created_at) < (parseDuration(lifetime) ?? Infinity);
}

function sessionHappenings(session: SessionView): Happening[] {
  const expiredAt = session.status === 'expired' ? session.expires_at : null;
  return [
    { at: instant(session.created_at), kind: 'session', repeat: (steps) => steps.newSession(session) },
    { at: instant(session.decided_at), kind: 'decision', repeat: (steps) => steps.decision(session) },
    { at: instant(session.readable_at), kind: 'moment' },
    { at: instant(expiredAt), kind: 'moment' },
  ];
}

function deliveryHappenings(delivery: ReplayedDelivery): Happening[] {
  const { at, copy, attempts } = delivery;
  const retry = (steps: RecordedSteps) => steps.retried(delivery);
  return [
    ...(copy > 0
      ? [{ at, kind: 'resend' as const, repeat: (steps: RecordedSteps) => steps.resent(delivery) }]
      : []),
    ...attempts.map((attempt): Happening =>
      attempt.isRetry ? { at: attempt.at, kind: 'retry', repeat: retry } : { at: attempt.at, kind: 'moment' },
    ),
  ];
}
