import { parseDuration } from '../../contract/time.js';
import type { ChargeView, EventLine, SessionView, WithdrawalView } from '../../http/control/schema.js';
import type { ReplayedDelivery, ReplayedReceiver } from './recorded-deliveries.js';
import type { Recording } from './recording.js';

/** Something that happened, at an instant of sandbox time. */
export type Happening = { readonly at: number } & (
  | { readonly kind: 'charge'; readonly charge: ChargeView }
  | { readonly kind: 'withdrawal'; readonly withdrawal: WithdrawalView }
  | { readonly kind: 'session'; readonly session: SessionView }
  | { readonly kind: 'decision'; readonly session: SessionView }
  /** `isOwn` where it was caused by a request, and not by time alone. */
  | { readonly kind: 'event'; readonly event: EventLine; readonly isOwn: boolean }
  | { readonly kind: 'resend'; readonly delivery: ReplayedDelivery }
  | { readonly kind: 'retry'; readonly delivery: ReplayedDelivery }
  /** Something that happened automatically. */
  | { readonly kind: 'moment' }
);

/** The order of kinds within an instant, which the sandbox does not report. */
const ORDER = ['charge', 'session', 'event', 'withdrawal', 'decision', 'resend', 'retry', 'moment'];

/** Everything that happened, in order. */
export function timelineOf(recording: Recording, receiver: ReplayedReceiver | undefined): Happening[] {
  const { charges, withdrawals, sessions, events, now } = recording;
  const until = Date.parse(now);
  const all: Happening[] = [
    ...charges.map((charge) => ({ at: Date.parse(charge.created_at), kind: 'charge' as const, charge })),
    ...withdrawals
      .filter((withdrawal) => !isMadeByEvent(withdrawal, events))
      .map((withdrawal) => ({
        at: Date.parse(withdrawal.created_at),
        kind: 'withdrawal' as const,
        withdrawal,
      })),
    ...sessions.flatMap(sessionHappenings),
    ...events.map((event) => ({
      at: Date.parse(event.created_at),
      kind: 'event' as const,
      event,
      isOwn: isOwn(event, recording),
    })),
    ...(receiver?.deliveries ?? []).flatMap(deliveryHappenings),
  ];
  return all
    .filter(({ at }) => at <= until)
    .map((happening, index) => ({ happening, index }))
    .sort(
      (a, b) =>
        a.happening.at - b.happening.at || orderOf(a.happening) - orderOf(b.happening) || a.index - b.index,
    )
    .map(({ happening }) => happening);
}

/** Whatever falls due at an instant is done before requests at that instant. */
function orderOf(happening: Happening): number {
  return happening.kind === 'event' && !happening.isOwn ? -1 : ORDER.indexOf(happening.kind);
}

/** Whether a withdrawal's first event came at the instant of its creation: then it is created just before the event. */
export function isMadeByEvent({ id, created_at: at }: WithdrawalView, events: readonly EventLine[]): boolean {
  return events.find(({ resource }) => resource.id === id)?.created_at === at;
}

/** A charge that reaches its expiry time expires automatically. */
function isOwn({ type, resource, created_at: at }: EventLine, { charges, assumptions }: Recording): boolean {
  const charge = charges.find(({ id }) => id === resource.id);
  if (type !== 'pix.expired' || charge === undefined) return true;
  const lifetime = assumptions.find(({ id }) => id === 'charge.lifetime')?.value ?? '';
  return Date.parse(at) - Date.parse(charge.created_at) < (parseDuration(lifetime) ?? Infinity);
}

function sessionHappenings(session: SessionView): Happening[] {
  const {
    created_at: createdAt,
    decided_at: decidedAt,
    readable_at: readableAt,
    status,
    expires_at: expiresAt,
  } = session;
  const moments = [readableAt, status === 'expired' ? expiresAt : null].filter((at) => at !== null);
  return [
    { at: Date.parse(createdAt), kind: 'session', session },
    ...(decidedAt === null ? [] : [{ at: Date.parse(decidedAt), kind: 'decision' as const, session }]),
    ...moments.map((at) => ({ at: Date.parse(at), kind: 'moment' as const })),
  ];
}

function deliveryHappenings(delivery: ReplayedDelivery): Happening[] {
  const { at, copy, attempts } = delivery;
  return [
    ...(copy > 0 ? [{ at, kind: 'resend' as const, delivery }] : []),
    ...attempts.map((attempt): Happening =>
      attempt.isRetry ? { at: attempt.at, kind: 'retry', delivery } : { at: attempt.at, kind: 'moment' },
    ),
  ];
}
