import type { AttemptError } from '../../../contract/attempt-errors.js';
import { ATTEMPT_ERRORS } from '../../../contract/attempt-errors.js';
import type { DeliveryLine, DeliveryView } from '../../../http/control/schema.js';
import { againText } from '../endpoints/text.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { fit, hanging, harmless, oneLine, SHORT_ID } from '../../terminal/text.js';
import { facts } from '../../terminal/facts.js';
import { paintStatus, statusColumn } from '../../terminal/status.js';
import { ageText, instantText, relativeText, whenText } from '../../terminal/when.js';

type AttemptView = DeliveryView['attempt_log'][number];

const BODY_LINES = 5;
const INDENT = '    ';

export function deliveryColumns(io: Io, nowMs: number): readonly Column<DeliveryLine>[] {
  return [
    { title: 'ID', value: ({ id }) => id, leastWidth: SHORT_ID },
    { title: 'CODE', value: ({ resource }) => resource.code, leastWidth: 8 },
    { title: 'EVENT', value: ({ event_type }) => event_type },
    statusColumn(io),
    { title: 'TRIES', value: (line) => `${line.attempts}/${line.attempt_limit}` },
    { title: 'LAST', value: lastOutcome, leastWidth: 10 },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
    { title: 'NEXT', value: (delivery) => nextShort(delivery, nowMs), optional: true },
    { title: 'TO', value: endpointName, leastWidth: 16, optional: true },
  ];
}

function nextShort({ status, in_flight, blocked_by, next_attempt_at }: DeliveryLine, nowMs: number): string {
  if (in_flight) return 'under way';
  if (status === 'PENDING' && blocked_by !== null) return 'held';
  return next_attempt_at === null ? '' : relativeText(next_attempt_at, nowMs);
}

/** How the last attempt ended: the HTTP status if that explains it, otherwise the error. */
export function lastOutcome({ last_response_status, last_error }: DeliveryLine): string {
  return outcomeText(last_response_status, last_error);
}

function outcomeText(status: number | null, error: AttemptError | null): string {
  const saysAll = error === null || error === 'HTTP_STATUS' || error === 'REDIRECT';
  return saysAll && status !== null ? String(status) : (error ?? '');
}

function endpointName({ endpoint_name }: DeliveryLine): string {
  return endpoint_name ?? '(deleted)';
}

export function deliveryText(io: Io, delivery: DeliveryView, nowMs: number): string {
  const { attempts, attempt_limit, resource, last_error } = delivery;
  const head = facts(io, [
    ['delivery', delivery.id],
    ['event', `${delivery.event_type} ${delivery.event_id}`],
    [resource.type === 'pix' ? 'charge' : resource.type, `${resource.code} (${resource.id})`],
    ['to', `${endpointName(delivery)} (endpoint ${delivery.endpoint_id})`],
    ['status', delivery.status, (text) => paintStatus(io, delivery.status, text)],
    ['attempts', `${attempts} of ${attempt_limit}`],
    ['schedule', scheduleText(delivery, nowMs)],
    ['because', endedWithoutAttempt(delivery) && last_error !== null ? meaningOf(last_error) : ''],
    ['created', whenText(delivery.created_at, nowMs)],
  ]);
  const blocks = delivery.attempt_log.map((attempt) => attemptText(io, attempt, nowMs));
  return [head, ...blocks, hanging(`next  ${whatNext(io, delivery, nowMs)}`, io.columns)].join('\n\n');
}

/** Every attempt in a few words: how it ended, or when it is due. */
function scheduleText({ schedule }: DeliveryView, nowMs: number): string {
  return schedule
    .filter(({ at, due_at }) => at !== undefined || due_at !== null)
    .map(({ attempt, due_at, at, outcome }) => {
      if (at !== undefined) return `${attempt} ${outcome ?? 'under way'}`;
      return `${attempt} ${relativeText(due_at ?? '', nowMs)}`;
    })
    .join(', ');
}

/** Its endpoint was deleted or disabled while the delivery was waiting. */
function endedWithoutAttempt({ status, last_error, attempt_log }: DeliveryView): boolean {
  return status === 'FAILED' && attempt_log.at(-1)?.error !== last_error;
}

function attemptText(io: Io, attempt: AttemptView, nowMs: number): string {
  const { number, started_at, response_status, error, latency_ms, detail, body_error, response } = attempt;
  const outcome = outcomeText(response_status, error);
  const latency = latency_ms === undefined ? '' : `  ${latency_ms} ms`;
  const paint = error === null ? io.colour.green : io.colour.red;
  const lines = [`attempt ${number}  ${whenText(started_at, nowMs)}  ${paint(outcome)}${latency}`];
  if (error !== null) lines.push(INDENT + meaningOf(error));
  if (detail) lines.push(INDENT + oneLine(detail, 0));
  if (body_error) lines.push(`${INDENT}The body of the answer was cut off: ${oneLine(body_error, 0)}`);
  return [...lines, ...bodyLines(bodyText(response), io.columns)].join('\n');
}

function bodyText(response: AttemptView['response']): string {
  const { body, body_base64: encoded } = response ?? {};
  return encoded === undefined
    ? (body ?? '')
    : `${Buffer.from(encoded, 'base64').length} bytes that are not UTF-8`;
}

function meaningOf(error: AttemptError): string {
  return `${error}: ${ATTEMPT_ERRORS[error]}`;
}

/** The first lines of a receiver's answer, escaped, indented and cut to `columns`; 0 cuts none. */
export function bodyLines(body: string, columns: number): string[] {
  const lines = harmless(body).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const prefix = `${INDENT}| `;
  const shown = lines
    .slice(0, BODY_LINES)
    .map((line) => prefix + fit(line, columns === 0 ? 0 : Math.max(columns - prefix.length, 1)));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `${prefix}… ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

/** What to type when nothing can reach the endpoint of a delivery. */
function blockedText(
  { blocked_by, status, endpoint_id, endpoint_name, endpoint_url, event_id }: DeliveryLine,
  program: string,
): string {
  const then = status === 'FAILED' ? ', then retry it' : '';
  switch (blocked_by) {
    case 'paused': {
      return `held while deliveries are paused; \`${program} deliveries resume\` lets them go`;
    }
    case 'away': {
      const what = status === 'FAILED' ? 'nothing' : 'held';
      return `${what} while its listener is away; ${againText(program, endpoint_url, endpoint_name)}${then}`;
    }
    case 'disabled': {
      return `nothing; \`${program} endpoints enable ${endpoint_id}\`${then}`;
    }
    default: {
      return `nothing: its endpoint is gone; \`${program} events resend ${event_id}\` sends the event to those there are now`;
    }
  }
}

/** What happens next to a delivery, and what to type. */
export function whatNext({ program }: Io, delivery: DeliveryLine, nowMs: number): string {
  const { id, status, attempts, attempt_limit, in_flight, next_attempt_at, delivered_at } = delivery;
  if (in_flight) return `attempt ${attempts + 1} is under way`;
  if (status === 'DELIVERED') {
    return `nothing: delivered${delivered_at === null ? '' : ` at ${instantText(delivered_at)}`}`;
  }
  if (delivery.blocked_by !== null) return blockedText(delivery, program);
  if (status === 'FAILED') {
    return `nothing by itself; \`${program} deliveries retry ${id}\` makes one more attempt`;
  }
  const when = next_attempt_at === null ? 'soon' : whenText(next_attempt_at, nowMs);
  return `attempt ${attempts + 1} of ${attempt_limit} ${when}; \`${program} clock next\` jumps to what is due`;
}
