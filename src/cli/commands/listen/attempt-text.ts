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
import { joinOrStack, formatBodyLines, LOG_INDENT, toOneLine, wrapSentence } from '../../terminal/text.js';
import { parseJson } from '../../../text/json.js';

/** Texts of a router's own 404 responses, next to a time, a URL or a trace id. */
const ROUTER_TEXT =
  /^Not Found$|^No message available$|^(?:Cannot POST |Route POST:)\/|^\d{4}-\d\d-\d\dT|^https?:\/\/|^[\da-fA-F:-]{16,}$/;
const PLAIN_TEXT = /^(?:404:? )?(?:page )?not found[.!]?$/i;

/**
 * Recognizes the default 404 page of a router, meaning that no route matched: empty, HTML, or JSON and texts
 * with only that message or the path. Any other body comes from a handler.
 */
export function isRouterNotFound(body: string, path: string): boolean {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return true;
  // As in `No route matches [POST] "/hook"` and `No static resource hook.`
  const names = path === '/' ? [] : [path, `route ${path.slice(1)}`, `resource ${path.slice(1)}`];
  const namesPath = (one: string) => one === path || names.some((name) => one.includes(name));
  if (!/^[[{]/.test(text)) return PLAIN_TEXT.test(text) || namesPath(text);
  // It is cut off after some kilobytes; no router writes as much.
  const texts = textsIn(parseJson(text, text));
  return texts.length > 0 && texts.every((one) => ROUTER_TEXT.test(one) || namesPath(one));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const BODY_LINES = 8;

export interface PrintedAttempt {
  /** The number is unknown if the sender is not a sandbox. */
  readonly attempt: Partial<ListenerAttempt> & Pick<ListenerAttempt, 'headers'>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery?: DeliveryLine | null;
  readonly comment?: string;
  /** Its signing secret, shortened and named. */
  readonly secret?: string | undefined;
  /** The next step, unless decided by the sandbox. */
  readonly next?: string | undefined;
  /** The sandbox ends before anyone can type a command for it. */
  readonly endsSoon?: boolean;
  readonly target: URL | undefined;
  readonly io: Io;
}

/** One attempt as text: what was sent where, the response, and for a failure the reason and what comes next. */
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
  const refused = `CONNECTION_REFUSED: Nothing listens on ${target?.host}: is your application running?`;
  const response = responseText(result);
  return [
    ...lines,
    ...below(io, result.error === 'CONNECTION_REFUSED' ? refused : formatReason(result)),
    ...formatBodyLines(io, response, `${LOG_INDENT}${colors.dim('│')} `, BODY_LINES),
    ...below(io, adviseOnRefusal({ status: result.status, body: response, target, secret, verify })),
    ...below(io, shown.next ?? nextStep(io, attempt.attempt, delivery, shown.endsSoon), colors.yellow),
  ];
}

/** A forged copy as text, which an application has to refuse. */
export function formatForgedNotice({
  io,
  body,
  result,
}: Pick<PrintedAttempt, 'io' | 'body' | 'result'>): string[] {
  const isGood = result.error !== null;
  const detail = isGood ? 'forged copy, as a test of the signature check' : 'accepted a forged copy';
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

/** Receivers should respond before doing the work (§6). */
function slownessOf({ status, latencyMs }: AttemptResult): string {
  const ms = Math.round(latencyMs);
  if (status === null || ms <= LIMITS.advisedResponseMs) return '';
  const advised = formatDuration(LIMITS.advisedResponseMs);
  return `${ms} ms is slower than the ${advised} advised by the contract (§6): respond first, then do the work.`;
}

/** A response to an attempt whose signature is valid, and where it came from. */
interface Refused {
  readonly status: number | null;
  readonly body: string;
  readonly target: URL | undefined;
  readonly secret: string | undefined;
  /** The command that compares a computed signature with the attempt. */
  readonly verify: string | undefined;
}

interface SignedAttempt {
  readonly id: string;
  readonly attempt: number | undefined;
  /** The endpoint has another secret than SANDBOX_WEBHOOK_SECRET. */
  readonly ownSecret?: boolean;
}

/** `verify` for an attempt of the running sandbox, otherwise for a line of `listen --json`. */
export function verifyCommand({ program }: Pick<Io, 'program'>, signed: SignedAttempt | undefined): string {
  if (signed === undefined) return `\`${program} verify --delivery '<line of listen --json>' --signature …\``;
  const { id, attempt, ownSecret = false } = signed;
  const number = attempt === undefined ? '' : ` --attempt ${attempt}`;
  const secret = ownSecret ? ' --secret whsec_…' : '';
  return `\`${program} verify --delivery ${id}${number}${secret} --signature …\``;
}

/**
 * Suggests the probable bug of an application by its response: for a 400 or 401 in the signature; for a 404
 * in the path if a router responded, in unknown resources if its handler did.
 */
export function adviseOnRefusal({ status, body, target, secret, verify }: Refused): string {
  if ((status === 400 || status === 401) && secret !== undefined) {
    const question = `The signature holds with ${secret}: does your application verify the raw body with it?`;
    if (verify === undefined) return question;
    return `${question} To find the signing error, pass the computed signature: ${verify}`;
  }
  if (status !== 404 || target === undefined) return '';
  return isRouterNotFound(body, target.pathname)
    ? `Does your application receive webhooks at ${target.pathname}, by POST? --forward-to names the path.`
    : 'Your application itself responded with 404. Every response other than 2xx is retried: ' +
        'return 2xx even for a resource it does not know.';
}

/** Stands for a missing status, and is as wide as one. */
export const MISSING_STATUS = 'ERR';

interface Head {
  /** By default the present one. */
  readonly time?: string;
  readonly status: number | null;
  readonly isGood: boolean;
  readonly what: string;
  readonly detail: string;
}

/** The line of an attempt: when, how and what; and a detail, below it on a narrow terminal. */
export function formatAttemptHead({ colors, columns }: Io, head: Head): string[] {
  const { time = new Date().toTimeString().slice(0, 8), status, isGood, what, detail } = head;
  const paint = isGood ? colors.green : colors.red;
  const first = `${colors.dim(time)} ${paint(String(status ?? MISSING_STATUS))} ${what}`;
  return joinOrStack([first, colors.dim(detail)], LOG_INDENT, columns);
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

/** Formats the reason for a failed attempt beyond its status. */
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

/** A wait beyond which a sandbox that ends soon will hardly make the next attempt. */
const LONG_WAIT_MS = 15_000;

function nextStep(
  { program }: Io,
  attempt: number | undefined,
  delivery: DeliveryLine | null,
  endsSoon = false,
): string {
  if (delivery === null) return `attempt ${attempt ?? 0}; the sandbox has already decided this delivery`;
  const count = `attempt ${attempt ?? 0} of ${delivery.attempt_limit}`;
  if (isFailed(delivery.status))
    return `${count}; the delivery is FAILED${endsSoon ? '' : `: \`${program} deliveries retry ${delivery.id}\``}`;
  if (delivery.next_attempt_at === null || delivery.last_attempt_at === null) return count;
  const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at);
  const next = `${count}; the next one ${formatDuration(waitMs)} after it (sandbox time)`;
  const frozen = delivery.blocked_by === 'frozen' ? ', but the clock is frozen' : '';
  if (!endsSoon) return `${next}${frozen}: \`${program} clock next\``;
  return waitMs > LONG_WAIT_MS ? `${next}: sooner with --retries fast` : next;
}
