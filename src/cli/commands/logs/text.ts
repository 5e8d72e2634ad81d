import type { AttemptEntry, LogEntry } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { besideOrBelow, fit, oneLine } from '../../terminal/text.js';
import { callLines } from '../calls/calls.js';
import { NO_STATUS, reasonOf } from '../listen/attempt-text.js';

/** Further lines are indented to the status of the first line. */
const INDENT = ' '.repeat('00:00:00 '.length);
/** The smallest width for the name of an endpoint. */
const LEAST_NAME = 16;

/** A log entry on a line, at the real time of its end, with any remarks below it. */
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
