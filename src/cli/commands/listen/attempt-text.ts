import type { SimulatedAttempt } from '../../../client/routes.js';
import { ATTEMPT_ERRORS } from '../../../contract/enums.js';
import { LIMITS } from '../../../contract/limits.js';
import { formatDuration } from '../../../contract/time.js';
import type { AttemptResult } from '../../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { DeliveryLine } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { DeliveryCheck } from '../../signatures/check-delivery.js';
import { besideOrBelow, fit, harmless, oneLine, wrapSentence } from '../../terminal/text.js';

/**
 * What routers write into the fields of a 404 that nobody wrote a handler for, next to a time, a URL or the
 * id of a trace.
 */
const ROUTER_TEXT =
  /^Not Found$|^No message available$|^(?:Cannot POST |Route POST:)\/|^\d{4}-\d\d-\d\dT|^https?:\/\/|^[\da-fA-F:-]{16,}$/;
const PLAIN_TEXT = /^(?:404:? )?(?:page )?not found[.!]?$/i;

/**
 * Whether the body of a 404 is the default page of a router, so that no route matched: empty, HTML, or JSON
 * and texts that say nothing but that, or name the path. Anything else was written by a handler.
 */
export function isRouterNotFound(body: string, path: string): boolean {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return true;
  // As in `No route matches [POST] "/hook"` and `No static resource hook.`
  const names = path === '/' ? [] : [path, `route ${path.slice(1)}`, `resource ${path.slice(1)}`];
  const namesPath = (one: string) => one === path || names.some((name) => one.includes(name));
  if (!/^[[{]/.test(text)) return PLAIN_TEXT.test(text) || namesPath(text);
  const texts = textsIn(parseOrKeep(text));
  return texts.length > 0 && texts.every((one) => ROUTER_TEXT.test(one) || namesPath(one));
}

function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is cut off after some kilobytes; no router writes as much.
    return text;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const BODY_LINES = 8;

export interface ShownAttempt {
  /** The number is unknown if the sender is not a sandbox. */
  readonly attempt: Partial<ListenerAttempt> & Pick<ListenerAttempt, 'headers'>;
  readonly body: Buffer;
  readonly check: DeliveryCheck;
  readonly result: AttemptResult;
  readonly delivery?: DeliveryLine | null;
  readonly remark?: string;
  /** The secret that it is signed with, shortened and named. */
  readonly secret?: string | undefined;
  /** What comes next, if no sandbox decides it. */
  readonly next?: string | undefined;
  /** The sandbox ends before anyone can type a command for it. */
  readonly endsSoon?: boolean;
  readonly target: URL | undefined;
  readonly io: Io;
}

/** One attempt as text: what was sent where, the answer, and for a failure the reason and what comes next. */
export function attemptLines(shown: ShownAttempt): string[] {
  const { attempt, body, check, result, delivery = null, remark = '', target, io } = shown;
  const { colour, columns } = io;
  const isAccepted = result.error === null;
  const id = oneLine(attempt.headers['webhook-id'] ?? '', 80);
  const signed = check.verified === true ? '  ✓ signed' : '';
  const head = headLines(io, {
    status: result.status,
    isAccepted,
    what: `${oneLine(eventType(body), 40).padEnd(18)} ${`${Math.round(result.latencyMs)} ms`.padStart(7)}`,
    detail: `${id}${signed}${isAccepted && attempt.attempt ? `  attempt ${attempt.attempt}` : ''}`,
  });
  const problem = check.problem === null ? '' : `✗ ${oneLine(check.problem, 0)}`;
  const remarks = [
    ...below(io, remark, colour.magenta),
    ...below(io, problem, colour.red),
    ...below(io, slownessOf(result), colour.yellow),
  ];
  if (isAccepted) return [...head, ...remarks, ...below(io, shown.next ?? '', colour.yellow)];
  const answer = responseLines(result).map(
    (line) => `${INDENT}${colour.dim('│')} ${fit(line, columns === 0 ? 0 : columns - INDENT.length - 2)}`,
  );
  return [
    ...head,
    ...remarks,
    ...below(io, result.error === 'CONNECTION_REFUSED' ? refusedBy(target) : reasonOf(result)),
    ...answer,
    ...below(io, secretAdvice(shown) || notFoundAdvice(shown)),
    ...below(io, shown.next ?? nextStep(io, attempt, delivery, shown.endsSoon), colour.yellow),
  ];
}

function refusedBy(target: URL | undefined): string {
  return `CONNECTION_REFUSED: Nothing listens on ${target?.host}: is your application running?`;
}

/** Receivers are advised to answer before they do the work (§6). */
function slownessOf({ status, latencyMs }: AttemptResult): string {
  const ms = Math.round(latencyMs);
  if (status === null || ms <= LIMITS.advisedAnswerMs) return '';
  const advised = formatDuration(LIMITS.advisedAnswerMs);
  return `${ms} ms is slower than the ${advised} that the contract advises (§6): answer first, then do the work.`;
}

/** A forged copy as text, which an application has to refuse. */
export function forgedLines({ io, body, result }: Pick<ShownAttempt, 'io' | 'body' | 'result'>): string[] {
  const isAccepted = result.error === null;
  return headLines(io, {
    status: result.status,
    isAccepted: !isAccepted,
    what: `${oneLine(eventType(body), 40).padEnd(18)} ${`${Math.round(result.latencyMs)} ms`.padStart(7)}`,
    detail: isAccepted ? 'accepted a forged copy' : 'forged copy, as a test of the signature check',
  });
}

/** What a receiver may do wrong that refuses a delivery whose signature holds. */
function secretAdvice({ result: { status }, check, secret, io }: ShownAttempt): string {
  const isRefused = status === 400 || status === 401;
  if (!isRefused || check.verified !== true || secret === undefined) return '';
  return (
    `The signature holds with ${secret}: does your application verify the raw body with it? ` +
    `\`${io.program} verify body.json --headers headers.txt\` checks what arrived.`
  );
}

/** Advice for a 404: about the path if a router responded, about unknown resources if the application's handler did. */
function notFoundAdvice({ result: { status, response }, target }: ShownAttempt): string {
  if (status !== 404 || target === undefined) return '';
  const { pathname } = target;
  const body = response === null ? '' : Buffer.from(response.body).toString('utf8');
  return isRouterNotFound(body, pathname)
    ? `Does your application receive webhooks at ${pathname}, by POST? --forward-to names the path.`
    : 'Your application itself responded with 404. Every response other than 2xx is retried: ' +
        'return 2xx even for a resource it does not know.';
}

/** One attempt that hit a fault instead of the application. */
export function simulatedLines(
  { action, attempt, delivery }: SimulatedAttempt,
  io: Io,
  endsSoon = false,
): string[] {
  const head = headLines(io, {
    status: delivery.last_response_status,
    isAccepted: delivery.last_error === null,
    what: `${delivery.event_type.padEnd(18)} simulated (${action})`,
    detail: delivery.event_id,
  });
  const reason = reasonOf({ error: delivery.last_error, detail: null });
  return [
    ...head,
    ...below(io, reason),
    ...below(io, nextStep(io, { attempt }, delivery, endsSoon), io.colour.yellow),
  ];
}

/** Further lines are indented to the status of the first line. */
const INDENT = ' '.repeat('00:00:00 '.length);

/** Stands for a missing status, and is as wide as one. */
export const NO_STATUS = 'ERR';

interface Head {
  readonly status: number | null;
  readonly isAccepted: boolean;
  readonly what: string;
  readonly detail: string;
}

function headLines({ colour, columns }: Io, { status, isAccepted, what, detail }: Head): string[] {
  const time = new Date().toTimeString().slice(0, 8);
  const paint = isAccepted ? colour.green : colour.red;
  const first = `${colour.dim(time)} ${paint(String(status ?? NO_STATUS))} ${what}`;
  return besideOrBelow([first, colour.dim(detail)], INDENT, columns);
}

function below({ columns }: Io, text: string, paint = (line: string) => line): string[] {
  if (text === '') return [];
  const width = columns === 0 ? 0 : Math.max(columns - INDENT.length, 1);
  return wrapSentence(text, width).map((line) => INDENT + paint(line));
}

function eventType(body: Buffer): string {
  const type = /"type"\s*:\s*"([^"]{1,60})"/.exec(body.toString('utf8', 0, 200))?.[1];
  return type ?? 'event';
}

/** Why an attempt failed, if its status does not show it. */
export function reasonOf({ error, detail }: Pick<AttemptResult, 'error' | 'detail'>): string {
  if (error === null || error === 'HTTP_STATUS') return '';
  const text = `${error}: ${ATTEMPT_ERRORS[error]}`;
  return detail === null ? text : `${text} (${oneLine(detail, 160)})`;
}

function responseLines({ response }: AttemptResult): string[] {
  const text = response === null ? '' : Buffer.from(response.body).toString('utf8').trim();
  if (text === '') return [];
  const lines = harmless(text).split('\n');
  return lines.length > BODY_LINES ? [...lines.slice(0, BODY_LINES), '…'] : lines;
}

/** A wait beyond which a sandbox that ends soon will hardly make the next attempt. */
const LONG_WAIT_MS = 15_000;

function nextStep(
  { program }: Io,
  { attempt = 0 }: Partial<ListenerAttempt>,
  delivery: DeliveryLine | null,
  endsSoon = false,
): string {
  if (delivery === null) return `attempt ${attempt}; the sandbox has already decided this delivery`;
  const count = `attempt ${attempt} of ${delivery.attempt_limit}`;
  if (delivery.status === 'FAILED')
    return `${count}; the delivery is FAILED${endsSoon ? '' : `: \`${program} deliveries retry ${delivery.id}\``}`;
  if (delivery.next_attempt_at === null || delivery.last_attempt_at === null) return count;
  const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at);
  const next = `${count}; the next one ${formatDuration(waitMs)} after it (sandbox time)`;
  if (!endsSoon) return `${next}: \`${program} clock next\``;
  return waitMs > LONG_WAIT_MS ? `${next}: sooner with --retries fast` : next;
}
