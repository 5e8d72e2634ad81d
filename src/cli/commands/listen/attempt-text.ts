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
import { parseJson } from '../../../text/json.js';

/** Matches strings in a router's default 404 response: its message, a time, a URL or a trace id. */
const ROUTER_TEXT =
  /^Not Found$|^No message available$|^(?:Cannot POST |Route POST:)\/|^\d{4}-\d\d-\d\dT|^https?:\/\/|^[\da-fA-F:-]{16,}$/;
const PLAIN_TEXT = /^(?:404:? )?(?:page )?not found[.!]?$/i;

/**
 * Returns true for a router's default 404 response: an empty body, HTML, or text or JSON with only a
 * not-found message or the path. Any other body comes from a handler.
 */
export function isRouterNotFound(body: string, path: string): boolean {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return true;
  // Matches `No route matches [POST] "/hook"` and `No static resource hook.`
  const names = path === '/' ? [] : [path, `route ${path.slice(1)}`, `resource ${path.slice(1)}`];
  const namesPath = (one: string) => one === path || names.some((name) => one.includes(name));
  if (!/^[[{]/.test(text)) return PLAIN_TEXT.test(text) || namesPath(text);
  // A truncated body is not valid JSON, but router responses are never that long.
  const texts = textsIn(parseJson(text, text));
  return texts.length > 0 && texts.every((one) => ROUTER_TEXT.test(one) || namesPath(one));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const BODY_LINES = 8;

export interface PrintedAttempt {
  /** Has no attempt number if the sender is not a sandbox. */
  readonly attempt: Partial<ListenerAttempt> & Pick<ListenerAttempt, 'headers'>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery?: DeliveryLine | null;
  readonly comment?: string;
  /** Signing secret, shortened and labeled. */
  readonly secret?: string | undefined;
  /** Overrides the next step derived from `delivery`. */
  readonly next?: string | undefined;
  /** Omits suggested commands, because the sandbox exits before anyone could run them. */
  readonly endsSoon?: boolean;
  readonly target: URL | undefined;
  readonly io: Io;
}

/** Formats an attempt: the event, the response, and for a failure the reason and the next step. */
export function formatAttempt(shown: PrintedAttempt): string[] {
  const { attempt, body, check, result, delivery = null, comment = '', target, io } = shown;
  const { colors } = io;
  const isAccepted = result.error === null;
  const secret = check.verified === true ? shown.secret : undefined;
  const { delivery_id: deliveryId, attempt: number } = attempt;
  const ofThis = deliveryId === undefined ? undefined : { id: deliveryId, attempt: number };
  const verify = shown.endsSoon === true ? undefined : verifyCommand(io, ofThis);
  const id = toOneLine(attempt.headers['webhook-id'] ?? '', 80);
  const signed = check.verified === true ? '  ✓ signed' : '';
  const numbered = isAccepted && number ? `  attempt ${number}` : '';
  const lines = [
    ...resultLines(io, result, { isGood: isAccepted, body, detail: `${id}${signed}${numbered}` }),
    ...below(io, comment, colors.magenta),
    ...below(io, check.problem === null ? '' : `✗ ${toOneLine(check.problem, 0)}`, colors.red),
    ...below(io, slownessOf(result), colors.yellow),
  ];
  if (isAccepted) return [...lines, ...below(io, shown.next ?? '', colors.yellow)];
  const refused = `CONNECTION_REFUSED: Nothing is listening on ${target?.host}. Start your application.`;
  const response = responseText(result);
  return [
    ...lines,
    ...below(io, result.error === 'CONNECTION_REFUSED' ? refused : formatReason(result)),
    ...formatBodyLines(io, response, `${LOG_INDENT}${colors.dim('│')} `, BODY_LINES),
    ...below(io, adviseOnRefusal({ status: result.status, body: response, target, secret, verify })),
    ...below(io, shown.next ?? nextStep(io, attempt.attempt, delivery, shown.endsSoon), colors.yellow),
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

/** Response to a refused attempt. */
interface Refused {
  readonly status: number | null;
  readonly body: string;
  readonly target: URL | undefined;
  readonly secret: string | undefined;
  /** Command that compares a computed signature with the attempt's. */
  readonly verify: string | undefined;
}

interface SignedAttempt {
  readonly id: string;
  readonly attempt: number | undefined;
  /** The endpoint's secret differs from SANDBOX_WEBHOOK_SECRET. */
  readonly ownSecret?: boolean;
}

/** Returns the `verify` command for an attempt, or by default for a line of `listen --json`. */
export function verifyCommand({ program }: Pick<Io, 'program'>, signed: SignedAttempt | undefined): string {
  if (signed === undefined) return `\`${program} verify --delivery '<line of listen --json>' --signature …\``;
  const { id, attempt, ownSecret = false } = signed;
  const number = attempt === undefined ? '' : ` --attempt ${attempt}`;
  const secret = ownSecret ? ' --secret whsec_…' : '';
  return `\`${program} verify --delivery ${id}${number}${secret} --signature …\``;
}

/**
 * Suggests how to fix a refusal. A 400 or 401 suggests a bug in signature verification; a 404 suggests a
 * wrong path if it comes from a router, or an unknown resource if it comes from a handler.
 */
export function adviseOnRefusal({ status, body, target, secret, verify }: Refused): string {
  if ((status === 400 || status === 401) && secret !== undefined) {
    const question =
      `The signature is valid for ${secret}. Make sure that your application verifies the raw body ` +
      'with that secret.';
    if (verify === undefined) return question;
    return `${question} To find the signing error, pass the computed signature: ${verify}`;
  }
  if (status !== 404 || target === undefined) return '';
  return isRouterNotFound(body, target.pathname)
    ? `Make sure that your application accepts POST requests at ${target.pathname}; --forward-to sets the path.`
    : 'Your application itself responded with 404. Every response other than 2xx is retried: ' +
        'return 2xx even for an unknown resource.';
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

function responseText({ response }: AttemptResult): string {
  return response === null ? '' : Buffer.from(response.body).toString('utf8').trim();
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
