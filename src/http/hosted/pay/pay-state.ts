import type { ChargeStatus } from '../../../contract/transitions.js';
import type { Charge, Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Language } from '../language.js';
import type { Action } from './actions.js';
import { actionsOf } from './actions.js';
import { payTextsOf } from './texts.js';

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

export interface WebhookLine {
  readonly text: string;
  /** The delivery's page of the console, where there is one. */
  readonly href: string | null;
}

/** What a page shows beyond its charge. */
export interface PayView {
  readonly language: Language;
  readonly hasButtons: boolean;
  readonly hasConsole: boolean;
}

/** Deliveries that are shown; several endpoints may get several events. */
const MOST_WEBHOOKS = 10;

export function payState(sandbox: Sandbox, charge: Charge, view: PayView): PayState {
  const texts = payTextsOf(view.language);
  const { clock } = sandbox;
  const { status, reason, expiresAt } = charge;
  return {
    status,
    words: texts.statuses[status],
    reason: reason === null ? '' : `${reason} · ${texts.reasons[reason]}`,
    leftMs: status === 'PENDING' ? Math.max(0, expiresAt - clock.now()) : null,
    rate: clock.rate,
    pace: clock.rate === 0 ? texts.frozen : texts.simulated,
    actions: view.hasButtons ? actionsOf(status) : [],
    webhooks: view.hasButtons ? webhookLines(sandbox, charge, view) : [],
  };
}

function webhookLines(sandbox: Sandbox, charge: Charge, view: PayView): WebhookLine[] {
  const { events, deliveries } = sandbox.world;
  const { webhook } = payTextsOf(view.language);
  const announced = events.rows.findLast(({ resource }) => resource.id === charge.id);
  if (announced === undefined) return [];
  const own = deliveries.rows.filter(({ event }) => event.resource.id === charge.id);
  const last = own.slice(-MOST_WEBHOOKS).toReversed();
  const lines = last.map((delivery) => ({
    text: `${webhook.name}: ${outcomeOf(sandbox, delivery, view)} (${delivery.event.type})`,
    href: view.hasConsole ? `/deliveries/${delivery.id}` : null,
  }));
  const isUnheard = !own.some(({ event }) => event === announced);
  const unheard = { text: `${webhook.name}: ${webhook.nobody} (${announced.type})`, href: null };
  return isUnheard ? [unheard, ...lines] : lines;
}

/** The outcome of the newest attempt that ended: its status or error, how long it took, and which one it was if more follow. */
function outcomeOf({ records }: Sandbox, delivery: Delivery, { language }: PayView): string {
  const { webhook } = payTextsOf(language);
  const { id, log, status, attemptLimit } = delivery;
  const last = log.at(-1);
  if (last === undefined) return webhook.waiting;
  const latencyMs = records.get(id, last.number)?.result.latencyMs;
  const parts = [
    String(last.status ?? last.error),
    latencyMs === undefined ? '' : `${Math.round(latencyMs)} ms`,
    status === 'DELIVERED' ? '' : webhook.attempt(last.number, attemptLimit),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
