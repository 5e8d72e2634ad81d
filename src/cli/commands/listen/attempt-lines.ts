import { ATTEMPT_ERRORS } from '../../../contract/attempt-errors.js';
import { formatDuration } from '../../../contract/time.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { SimulatedAttempt } from '../../../client/routes.js';
import type { DeliveryCheck } from '../../signatures/check-delivery.js';
import { besideOrBelow, fit, harmless, oneLine, wrap } from '../../terminal/text.js';

/** How many lines of a receiver's answer are shown. */
const BODY_LINES = 8;

export interface ShownAttempt {
  /** The number is unknown if the sender is not a sandbox. */
  readonly attempt: Partial<ListenerAttempt> & Pick<ListenerAttempt, 'headers'>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery?: DeliveryLine | null;
  /** What comes next, if no sandbox decides it. */
  readonly next?: string | undefined;
  readonly target: URL;
  readonly io: Io;
}

/** One attempt as text: what was sent where, the answer, and for a failure the reason and what comes next. */
export function attemptLines(shown: ShownAttempt): string[] {
  const { attempt, body, check, result, delivery = null, target, io } = shown;
  const { colour, columns } = io;
  const isAccepted = result.error === null;
  const id = oneLine(attempt.headers['webhook-id'] ?? '', 80);
  const signed = check.verified === true ? '  ✓ signed' : '';
  const head = headLines(io, {
    status: result.status === null ? (result.error ?? '') : String(result.status),
    isAccepted,
    what: `${oneLine(eventType(body), 40).padEnd(18)} ${`${Math.round(result.latencyMs)} ms`.padStart(7)}`,
    detail: `${id}${signed}${isAccepted && attempt.attempt ? `  attempt ${attempt.attempt}` : ''}`,
  });
  const problem = check.problem === null ? '' : `✗ ${oneLine(check.problem, 0)}`;
  const warnings = below(io, problem, colour.red);
  if (isAccepted) return [...head, ...warnings, ...below(io, shown.next ?? '', colour.yellow)];
  const reason =
    result.error === 'CONNECTION_REFUSED'
      ? `Nothing listens on ${target.host}: is your application running?`
      : reasonOf(result);
  const answer = responseLines(result).map(
    (line) => `${INDENT}${colour.dim('│')} ${fit(line, columns === 0 ? 0 : columns - INDENT.length - 2)}`,
  );
  return [
    ...head,
    ...warnings,
    ...below(io, reason),
    ...answer,
    ...below(io, shown.next ?? nextStep(attempt, delivery), colour.yellow),
  ];
}

/** One attempt that hit a fault instead of the application. */
export function simulatedLines({ action, attempt, delivery }: SimulatedAttempt, io: Io): string[] {
  const head = headLines(io, {
    status: String(delivery.last_response_status ?? delivery.last_error ?? ''),
    isAccepted: delivery.last_error === null,
    what: `${delivery.event_type.padEnd(18)} simulated (${action})`,
    detail: delivery.event_id,
  });
  return [...head, ...below(io, nextStep({ attempt }, delivery), io.colour.yellow)];
}

/** Further lines are indented to the status of the first line. */
const INDENT = ' '.repeat('00:00:00 '.length);

interface Head {
  readonly status: string;
  readonly isAccepted: boolean;
  readonly what: string;
  readonly detail: string;
}

/** The time and what happened, with the details on the same line or, on a narrow terminal, below. */
function headLines({ colour, columns }: Io, { status, isAccepted, what, detail }: Head): string[] {
  const time = new Date().toTimeString().slice(0, 8);
  const paint = isAccepted ? colour.green : colour.red;
  const first = `${colour.dim(time)} ${paint(status)} ${what}`;
  return besideOrBelow([first, colour.dim(detail)], INDENT, columns);
}

/** Text below the first line, wrapped between words at the terminal's width. */
function below({ columns }: Io, text: string, paint = (line: string) => line): string[] {
  if (text === '') return [];
  return wrap(text, columns === 0 ? 0 : columns - INDENT.length).map((line) => INDENT + paint(line));
}

function eventType(body: Buffer): string {
  const type = /"type"\s*:\s*"([^"]{1,60})"/.exec(body.toString('utf8', 0, 200))?.[1];
  return type ?? 'event';
}

/** Why an attempt failed, if its status does not show it. */
export function reasonOf({ error, detail }: Pick<AttemptResult, 'error' | 'detail'>): string {
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

function nextStep({ attempt = 0 }: Partial<ListenerAttempt>, delivery: DeliveryLine | null): string {
  if (delivery === null) return `attempt ${attempt}; the sandbox has already decided this delivery`;
  const count = `attempt ${attempt} of ${delivery.attempt_limit}`;
  if (delivery.status === 'FAILED')
    return `${count}; the delivery is FAILED: npx pix-sandbox deliveries retry ${delivery.id}`;
  if (delivery.next_attempt_at === null || delivery.last_attempt_at === null) return count;
  const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at);
  return `${count}; the next one ${formatDuration(waitMs)} after it (sandbox time): npx pix-sandbox clock next`;
}
