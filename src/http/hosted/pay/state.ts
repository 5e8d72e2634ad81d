import { clearInterval, setInterval } from 'node:timers';
import { DEFAULT_FAILURE_REASON, FAILURE_REASON_CODES, type FailureReason } from '../../../contract/enums.js';
import { Refusal } from '../../../contract/refusals.js';
import { type ChargeStatus, movesFrom } from '../../../contract/transitions.js';
import type { Effect } from '../../../core/effects.js';
import type { Charge, Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { DoorContext } from '../../operation/answer.js';
import { eventStream, onceKept } from '../../streams/sse.js';
import type { Form } from '../request.js';
import type { Language } from '../texts.js';
import { textsOf } from '../texts.js';

/** The buttons of the panel, in their order. */
export const ACTIONS = ['pay', 'fail', 'expire', 'late'] as const;
export type Action = (typeof ACTIONS)[number];

/** The button of each move; an open charge can also be paid late. */
const BUTTONS = { settle: 'pay', fail: 'fail', expire: 'expire' } as const;

function actionsFrom(status: ChargeStatus): Action[] {
  if (status === 'EXPIRED') return ['late'];
  const possible = movesFrom('charge', status).map((move) => BUTTONS[move]);
  return possible.length === 0 ? [] : [...possible, 'late'];
}

/**
 * Does what a button says, as one command. Refuses (INVALID_REQUEST) unknown buttons and reasons, and what
 * the charge cannot become.
 */
export function carryOut(sandbox: Sandbox, chargeId: string, form: Form): void {
  switch (form.get('action')) {
    case 'pay':
      sandbox.dispatch({ type: 'charge.settle', chargeId });
      return;
    case 'fail':
      sandbox.dispatch({ type: 'charge.fail', chargeId, reason: reasonOf(form) });
      return;
    case 'expire':
      sandbox.dispatch({ type: 'charge.expire', chargeId });
      return;
    case 'late':
      sandbox.dispatch({ type: 'trigger', event: 'pix.settled', charge: chargeId, late: true });
      return;
    default:
      throw new Refusal('INVALID_REQUEST', `action must be one of ${ACTIONS.join(', ')}.`);
  }
}

function reasonOf(form: Form): FailureReason {
  const given = form.get('reason') || DEFAULT_FAILURE_REASON;
  const reason = FAILURE_REASON_CODES.find((code) => code === given);
  if (reason !== undefined) return reason;
  throw new Refusal('INVALID_REQUEST', `reason must be one of ${FAILURE_REASON_CODES.join(', ')}.`);
}

/** The changing part of a pay page, in words of its language; its stream sends this whenever something changes. */
export interface PayState {
  readonly status: ChargeStatus;
  readonly words: string;
  /** Why it failed; empty for other charges. */
  readonly reason: string;
  /** Sandbox milliseconds until it expires; null when it no longer can. */
  readonly leftMs: number | null;
  /** Sandbox milliseconds per real millisecond. */
  readonly rate: number;
  /** Whether the clock runs, in words. */
  readonly pace: string;
  readonly actions: readonly Action[];
  readonly webhooks: readonly WebhookLine[];
}

interface WebhookLine {
  readonly text: string;
  /** The delivery's page of the console, where there is one. */
  readonly href: string | null;
}

export interface PayView {
  readonly language: Language;
  readonly hasButtons: boolean;
  readonly hasConsole: boolean;
}

/** Deliveries that are shown; several endpoints may get several events. */
const MOST_WEBHOOKS = 10;

export function payState(sandbox: Sandbox, charge: Charge, view: PayView): PayState {
  const texts = textsOf(view.language).pay;
  const { clock } = sandbox;
  const { status, reason, expiresAt } = charge;
  return {
    status,
    words: texts.statuses[status],
    reason: reason === null ? '' : `${reason} · ${texts.reasons[reason]}`,
    leftMs: status === 'PENDING' ? Math.max(0, expiresAt - clock.now()) : null,
    rate: clock.rate,
    pace: clock.rate === 0 ? texts.frozen : texts.simulated,
    actions: view.hasButtons ? actionsFrom(status) : [],
    webhooks: view.hasButtons ? webhookLines(sandbox, charge, view) : [],
  };
}

function webhookLines(sandbox: Sandbox, charge: Charge, view: PayView): WebhookLine[] {
  const { events, deliveries } = sandbox.world;
  const announced = events.rows.findLast(({ resource }) => resource.id === charge.id);
  if (announced === undefined) return [];
  const own = deliveries.rows.filter(({ event }) => event.resource.id === charge.id);
  const lines = own
    .slice(-MOST_WEBHOOKS)
    .toReversed()
    .map((delivery) => ({
      text: `Webhook: ${outcomeOf(sandbox, delivery, view)} (${delivery.event.type})`,
      href: view.hasConsole ? `/deliveries/${delivery.id}` : null,
    }));
  if (own.some(({ event }) => event === announced)) return lines;
  const { nobody } = textsOf(view.language).pay.webhook;
  return [{ text: `Webhook: ${nobody} (${announced.type})`, href: null }, ...lines];
}

/**
 * The outcome of the newest attempt that ended: its status or error, how long it took, and which one it was
 * if more follow.
 */
function outcomeOf({ epoch: { records } }: Sandbox, delivery: Delivery, { language }: PayView): string {
  const { webhook } = textsOf(language).pay;
  const { id, log, status, attemptLimit } = delivery;
  const last = log.at(-1);
  if (last === undefined) return webhook.waiting;
  const latencyMs = records.get(id, last.number)?.result.latencyMs;
  const parts = [
    String(last.status ?? last.error),
    latencyMs === undefined ? '' : `${Math.round(latencyMs)} ms`,
    status === 'DELIVERED' ? '' : `${webhook.attempt} ${last.number} ${webhook.of} ${attemptLimit}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** How often a page's rate is compared with the clock's, which resumes after a jump without an entry; real time. */
const COMPARE_MS = 1_000;

/**
 * Streams what a charge's page shows: its state now and at every change, and `gone` when there is no such
 * charge any more.
 */
export function followCharge(
  sandbox: Sandbox,
  context: DoorContext,
  chargeId: string,
  view: PayView,
): Response {
  return eventStream(context, (client) => {
    const { send, close } = onceKept(sandbox, client);
    let sentRate: number | undefined;
    const sendState = () => {
      const charge = sandbox.world.charges.byId.get(chargeId);
      if (charge === undefined) return send({ gone: true });
      sentRate = sandbox.clock.rate;
      return send(payState(sandbox, charge, view));
    };
    const compare = setInterval(() => {
      if (sandbox.clock.rate !== sentRate) sendState();
    }, COMPARE_MS);
    compare.unref();
    sendState();
    return [
      sandbox.subscribe((effects) => {
        if (effects.some((effect) => isAbout(effect, chargeId))) sendState();
      }),
      sandbox.timeline.subscribe(({ kind }) => {
        if (kind === 'clock') sendState();
      }),
      sandbox.onReset(sendState),
      sandbox.onClose(close),
      () => clearInterval(compare),
    ];
  });
}

function isAbout(effect: Effect, chargeId: string): boolean {
  if (effect.type === 'charge') return effect.charge.id === chargeId;
  if (effect.type === 'event') return effect.event.resource.id === chargeId;
  return effect.type === 'delivery' && effect.delivery.event.resource.id === chargeId;
}
