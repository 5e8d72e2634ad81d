import { ATTEMPT_ERRORS } from '../core/attempt-errors.js';
import { formatDuration } from '../core/time.js';
import type { AttemptResult } from '../delivery/http-attempt.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type { DeliveryLine } from '../http/control/schema.js';
import type { Io } from './io.js';
import type { SimulatedAttempt } from './listener-session.js';
import type { DeliveryCheck } from './signatures/check-delivery.js';
import { fit, harmless, oneLine } from './text.js';

/** How much of a receiver's answer is shown. */
const BODY_LINES = 8;

export interface ShownAttempt {
  readonly attempt: ListenerAttempt;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery: DeliveryLine | null;
  readonly target: URL;
  readonly io: Io;
}

/** One attempt for people: what was sent where, what came back, and, when it failed, why and what comes next. */
export function attemptLines(shown: ShownAttempt): string[] {
  const { attempt, body, check, result, delivery, target, io } = shown;
  const { colour, columns } = io;
  const time = new Date().toTimeString().slice(0, 8);
  const status = result.status === null ? (result.error ?? '') : String(result.status);
  const latency = `${Math.round(result.latencyMs)} ms`;
  const paint = result.error === null ? colour.green : colour.red;
  const type = oneLine(eventType(body), 40).padEnd(18);
  const signed = check.verified === true ? colour.dim('  ✓ signed') : '';
  const head = `${colour.dim(time)} ${paint(status)} ${type} ${latency.padStart(7)}  ${colour.dim(attempt.headers['webhook-id'] ?? '')}${signed}`;
  const warnings = check.problem === null ? [] : [`         ${colour.red(`✗ ${oneLine(check.problem, 0)}`)}`];
  if (result.error === null) {
    return [head + colour.dim(`  attempt ${attempt.attempt}`), ...warnings];
  }
  const reason =
    result.error === 'CONNECTION_REFUSED'
      ? `Nothing listens on ${target.host}: is your application running?`
      : reasonOf(result);
  const next = nextStep(attempt, delivery);
  return [
    head,
    ...warnings,
    ...(reason === '' ? [] : [`         ${reason}`]),
    ...responseLines(result).map(
      (line) => `         ${colour.dim('│')} ${fit(line, columns === 0 ? 0 : columns - 12)}`,
    ),
    `         ${colour.yellow(next)}`,
  ];
}

/** One attempt that met a fault instead of the application. */
export function simulatedLines({ action, attempt, delivery }: SimulatedAttempt, { colour }: Io): string[] {
  const time = new Date().toTimeString().slice(0, 8);
  const status = delivery.last_response_status ?? delivery.last_error ?? '';
  const paint = delivery.last_error === null ? colour.green : colour.red;
  const head = `${colour.dim(time)} ${paint(String(status))} ${delivery.event_type.padEnd(18)} simulated (${action})  ${colour.dim(delivery.event_id)}`;
  return [head, `         ${colour.yellow(nextStep({ attempt }, delivery))}`];
}

function eventType(body: Buffer): string {
  const type = /"type":"([^"]{1,60})"/.exec(body.toString('utf8', 0, 200))?.[1];
  return type ?? 'event';
}

function reasonOf({ error, detail }: AttemptResult): string {
  if (error === null || error === 'HTTP_STATUS') return '';
  const text = ATTEMPT_ERRORS[error];
  return detail === null ? text : `${text} (${oneLine(detail, 160)})`;
}

function responseLines({ response }: AttemptResult): string[] {
  const text = response === null ? '' : Buffer.from(response.body).toString('utf8').trim();
  if (text === '') return [];
  const lines = harmless(text).split('\n');
  return lines.length > BODY_LINES ? [...lines.slice(0, BODY_LINES), '…'] : lines;
}

function nextStep({ attempt }: Pick<ListenerAttempt, 'attempt'>, delivery: DeliveryLine | null): string {
  if (delivery === null) return `attempt ${attempt}; the sandbox has decided this delivery otherwise`;
  const count = `attempt ${attempt} of ${delivery.attempt_limit}`;
  if (delivery.status === 'FAILED')
    return `${count}; the delivery is FAILED: npx pix-sandbox deliveries retry ${delivery.id}`;
  if (delivery.next_attempt_at === null || delivery.last_attempt_at === null) return count;
  const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at);
  return `${count}; the next one ${formatDuration(waitMs)} after it (sandbox time): npx pix-sandbox clock next`;
}
