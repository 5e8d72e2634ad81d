import type { AttemptEntry, EntryView, LogEntry } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { besideOrBelow, fit, oneLine, SHORT_ID } from '../../terminal/text.js';
import { callLines } from '../calls/calls.js';
import { NO_STATUS, reasonOf } from '../listen/attempt-text.js';
import { stepText } from '../trace/trace.js';

const GAP = '  ';
const WHEN_WIDTH = 'MM-DD hh:mm:ss'.length;
const LONGEST_OUTCOME = 30;
const LEAST_TITLE = 16;

/** An entry on one line: sandbox time, what happened, how it ended, and the id that `trace` takes. */
export function entryLine(io: Io, entry: EntryView): string {
  const { columns, colour } = io;
  const { title, plain, painted } = stepText(io, starter(entry), outcomeOf(entry));
  const when = entry.at.slice(5, 19).replace('T', ' ');
  const id = shownId(entry, columns);
  const after = [plain, id].filter((part) => part !== '');
  const rest = after.reduce((width, part) => width + GAP.length + part.length, 0);
  const room = Math.max(columns - WHEN_WIDTH - GAP.length - rest, LEAST_TITLE);
  // An id stands once on a line.
  const said = id === '' ? title : title.replace(` ${entry.id}`, '');
  const words = oneLine(said, columns === 0 ? 0 : room);
  return [colour.dim(when), words, painted, colour.dim(id)].filter((part) => part !== '').join(GAP);
}

/** What follows from something does not say again who began it. */
function starter({ kind, title, cause, by, scenario }: EntryView) {
  return { kind, title, ...(cause === null ? { by, scenario } : {}) };
}

function outcomeOf({ kind, status, error, to }: EntryView): string {
  if (kind === 'call' || kind === 'attempt') {
    const known = [status, error === 'HTTP_STATUS' ? null : error].filter((part) => part != null);
    return oneLine(known.join(' '), LONGEST_OUTCOME);
  }
  return kind === 'change' || kind === 'delivery' ? (to ?? '') : '';
}

/** The beginning of an id, on a terminal; an attempt has that of its delivery. */
function shownId({ kind, id, delivery_id }: EntryView, columns: number): string {
  if (kind === 'state') return '';
  const whole = oneLine((kind === 'attempt' ? delivery_id : id) ?? '', 0);
  if (columns === 0) return whole;
  const prefix = /^[a-z]{1,8}_/.exec(whole)?.[0] ?? '';
  return fit(whole, prefix.length + SHORT_ID);
}

const INDENT = ' '.repeat('00:00:00 '.length);
const LEAST_NAME = 16;

export function logLines(io: Io, entry: LogEntry): string[] {
  return entry.type === 'call' ? callLines(io, entry.call) : attemptLines(io, entry);
}

function attemptLines(io: Io, entry: AttemptEntry): string[] {
  const { colour, columns } = io;
  const { event_type, event_id, resource, response_status, error, latency_ms, faults } = entry;
  const { attempt, attempt_limit, delivery_id, endpoint_name } = entry;
  const status = response_status === null ? NO_STATUS : String(response_status);
  const paint = error === null ? colour.green : colour.red;
  const what = `${event_type} of ${oneLine(resource.code, 40)} → `;
  const room = columns - INDENT.length - status.length - 1 - what.length;
  const name = oneLine(endpoint_name ?? '(deleted)', columns === 0 ? 0 : Math.max(room, LEAST_NAME));
  const head = `${colour.dim(entry.real_at.slice(11, 19))} ${paint(status)} ${what}${name}`;
  const detail = `${Math.round(latency_ms)} ms  attempt ${attempt} of ${attempt_limit}  ${event_id}`;
  const width = columns === 0 ? 0 : columns - INDENT.length;
  const reason = reasonOf(entry);
  const below = [
    ...(reason === '' ? [] : [fit(reason, width)]),
    ...faults.map(({ action }) => `${colour.magenta('fault')} ${action}`),
    ...(error !== null && attempt >= attempt_limit
      ? [colour.yellow(`the last one: ${io.program} deliveries retry ${delivery_id}`)]
      : []),
  ];
  return [
    ...besideOrBelow([head, colour.dim(detail)], INDENT, columns),
    ...below.map((line) => INDENT + line),
  ];
}
