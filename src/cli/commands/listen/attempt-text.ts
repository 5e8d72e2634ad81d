import type { SimulatedAttempt } from '../../../client/routes.js';
import { ATTEMPT_ERRORS, type AttemptError } from '../../../contract/enums.js';
import { LIMITS } from '../../../contract/limits.js';
import { formatDuration } from '../../../contract/time.js';
import { isFailed } from '../../../contract/transitions.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { DeliveryLine } from '../../../http/control/exchanges.js';
import type { Io } from '../../program/io.js';
import type { DeliveryCheck } from './forwarder.js';
import { formatItems, formatBodyLines, LOG_INDENT, toOneLine, wrapSentence } from '../../terminal/text.js';
import {
  explainFailure,
  type FailureGroups,
  formatHint,
  formatVerifyCommand,
  toFailedResponse,
} from './failure-hints.js';
import { formatOutcome } from '../../../text/exchange/present-exchange.js';

const BODY_LINES = 8;

export interface PrintedAttempt {
  /** Has no attempt number if the sender is not a sandbox. */
  readonly attempt: Partial<ListenerAttempt> & Pick<ListenerAttempt, 'headers'>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery?: DeliveryLine | null;
  readonly comment?: string;
  /** Groups equal failures, to explain each cause once. */
  readonly failures?: FailureGroups | undefined;
  /** Overrides the next step derived from `delivery`. */
  readonly next?: string | undefined;
  /** Omits suggested commands, because the sandbox exits before anyone could run them. */
  readonly endsSoon?: boolean;
  readonly target: URL | undefined;
  readonly io: Io;
}

/** Formats an attempt: the event, the response, and for a failure the reason and the next step. */
export function formatAttempt(shown: PrintedAttempt): string[] {
  const { attempt, body, check, result, delivery = null, comment = '', io } = shown;
  const { colors } = io;
  const isAccepted = result.error === null;
  const id = toOneLine(attempt.headers['webhook-id'] ?? '', 80);
  const signed = check.verified === true ? '  ✓ signed' : '';
  const numbered = isAccepted && attempt.attempt ? `  attempt ${attempt.attempt}` : '';
  const lines = [
    ...resultLines(io, result, { isGood: isAccepted, body, detail: `${id}${signed}${numbered}` }),
    ...below(io, comment, colors.magenta),
    ...below(io, check.problem === null ? '' : `✗ ${toOneLine(check.problem, 0)}`, colors.red),
    ...below(io, slownessOf(result), colors.yellow),
  ];
  if (isAccepted) {
    shown.failures?.reset();
    return [...lines, ...below(io, shown.next ?? '', colors.yellow)];
  }
  return [
    ...lines,
    ...formatFailure(shown),
    ...below(io, shown.next ?? nextStep(io, attempt.attempt, delivery, shown.endsSoon), colors.yellow),
  ];
}

/** Formats the reason, the response and a hint; the last two only if the previous attempt differed. */
function formatFailure({ attempt, check, result, failures, endsSoon, target, io }: PrintedAttempt): string[] {
  const { status, error } = result;
  const { delivery_id: id } = attempt;
  const cause = explainFailure(target, toFailedResponse(result));
  // The signature is unverified, so only the response itself proves a cause.
  const isExplained = cause !== undefined && (check.verified ?? cause.suspects.length === 0);
  const text = isExplained ? formatHint(cause) : '';
  const command =
    status === null || id === undefined || endsSoon === true ? undefined : formatVerifyCommand(io, id);
  const response = Buffer.from(result.response?.body ?? '')
    .toString('utf8')
    .trim();
  const failure = { cause: text === '' ? formatOutcome(result) : text, body: response, command };
  const { isNewCause, isNewBody } = failures?.add(failure) ?? { isNewCause: true, isNewBody: true };
  const hint = status === null ? cause?.fix : isExplained ? formatHint(cause, command) : undefined;
  return [
    ...below(io, error === 'CONNECTION_REFUSED' ? `${error}: ${cause?.message}` : formatReason(result)),
    ...(isNewBody ? formatBodyLines(io, response, `${LOG_INDENT}${io.colors.dim('│')} `, BODY_LINES) : []),
    ...below(io, isNewCause ? (hint ?? '') : ''),
  ];
}

/** Formats the result of a forged copy, which an application must refuse. */
export function formatForgedNotice({
  io,
  body,
  result,
}: Pick<PrintedAttempt, 'io' | 'body' | 'result'>): string[] {
  const isGood = result.error !== null;
  const detail = isGood ? 'forged copy, to test signature verification' : 'accepted a forged copy';
  return resultLines(io, result, { isGood, body, detail });
}

export function formatSimulated(
  { action, attempt, delivery }: SimulatedAttempt,
  io: Io,
  endsSoon = false,
): string[] {
  const { last_response_status: status, last_error: error, event_type: type, event_id: detail } = delivery;
  return [
    ...formatAttemptHead(io, {
      status,
      isGood: error === null,
      what: `${type.padEnd(18)} simulated (${action})`,
      detail,
    }),
    ...below(io, formatReason({ error, detail: null })),
    ...below(io, nextStep(io, attempt, delivery, endsSoon), io.colors.yellow),
  ];
}

/** Warns about a slow response: receivers should respond before doing the work (§6). */
function slownessOf({ status, latencyMs }: AttemptResult): string {
  const ms = Math.round(latencyMs);
  if (status === null || ms <= LIMITS.advisedResponseMs) return '';
  const advised = formatDuration(LIMITS.advisedResponseMs);
  return `${ms} ms is slower than the ${advised} recommended by the contract (§6): respond first, then do the work.`;
}

/** Replaces a missing status, at the same width. */
export const MISSING_STATUS = 'ERR';

interface Head {
  /** Defaults to now. */
  readonly time?: string;
  readonly status: number | null;
  readonly isGood: boolean;
  readonly what: string;
  readonly detail: string;
}

/** Formats the first line of an attempt: time, status, event and detail, wrapped on a narrow terminal. */
export function formatAttemptHead({ colors, columns }: Io, head: Head): string[] {
  const { time = new Date().toTimeString().slice(0, 8), status, isGood, what, detail } = head;
  const paint = isGood ? colors.green : colors.red;
  const first = `${colors.dim(time)} ${paint(String(status ?? MISSING_STATUS))} ${what}`;
  return formatItems([first, colors.dim(detail)], LOG_INDENT, columns);
}

function resultLines(
  io: Io,
  { status, latencyMs }: AttemptResult,
  { body, ...head }: Pick<Head, 'isGood' | 'detail'> & { readonly body: Buffer },
): string[] {
  const type = /"type"\s*:\s*"([^"]{1,60})"/.exec(body.toString('utf8', 0, 200))?.[1] ?? 'event';
  const what = `${toOneLine(type, 40).padEnd(18)} ${`${Math.round(latencyMs)} ms`.padStart(7)}`;
  return formatAttemptHead(io, { ...head, status, what });
}

function below({ columns }: Io, text: string, paint = (line: string) => line): string[] {
  if (text === '') return [];
  const width = columns === 0 ? 0 : Math.max(columns - LOG_INDENT.length, 1);
  return wrapSentence(text, width).map((line) => LOG_INDENT + paint(line));
}

/** Explains why an attempt failed, unless the status already does. */
export function formatReason({ error, detail }: Pick<AttemptResult, 'error' | 'detail'>): string {
  if (error === null || error === 'HTTP_STATUS') return '';
  return detail === null
    ? describeAttemptError(error)
    : `${describeAttemptError(error)} (${toOneLine(detail, 160)})`;
}

export function describeAttemptError(error: AttemptError): string {
  return `${error}: ${ATTEMPT_ERRORS[error]}`;
}

/** Retries due later rarely happen before a short-lived sandbox exits. */
const LONG_WAIT_MS = 15_000;

function nextStep(
  { program }: Io,
  attempt: number | undefined,
  delivery: DeliveryLine | null,
  endsSoon = false,
): string {
  if (delivery === null) return `attempt ${attempt ?? 0}; the delivery has already ended`;
  const count = `attempt ${attempt ?? 0} of ${delivery.attempt_limit}`;
  if (isFailed(delivery.status))
    return `${count}; the delivery is FAILED${endsSoon ? '' : `: \`${program} deliveries retry ${delivery.id}\``}`;
  if (delivery.next_attempt_at === null || delivery.last_attempt_at === null) return count;
  const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at);
  const next = `${count}; next attempt ${formatDuration(waitMs)} later (sandbox time)`;
  const frozen = delivery.blocked_by === 'frozen' ? ', but the clock is frozen' : '';
  if (!endsSoon) return `${next}${frozen}: \`${program} clock next\``;
  return waitMs > LONG_WAIT_MS ? `${next}: sooner with --retries fast` : next;
}
