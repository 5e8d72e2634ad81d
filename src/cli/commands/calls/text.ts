import type { CallDetail, CallView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { hanging, oneLine, SHORT_ID } from '../../terminal/text.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';

/** Further lines are indented to the status of the first line. */
const INDENT = ' '.repeat('00:00:00 '.length);

function paintStatus({ colour }: Io, status: number, text = String(status)): string {
  const paint = status < 400 ? colour.green : status < 500 ? colour.yellow : colour.red;
  return paint(text);
}

/** The error of a call; marks a call that matched no route. */
function errorText({ error, matched }: CallView): string {
  return matched ? (error ?? '') : `${error ?? ''} (no route)`.trimStart();
}

export function callColumns(io: Io): Column<CallView>[] {
  return [
    { title: 'AT', value: ({ real_at: at }) => at.slice(11, 19) },
    {
      title: 'STATUS',
      value: ({ status }) => String(status),
      paint: (text, { status }) => paintStatus(io, status, text),
    },
    { title: 'METHOD', value: ({ method }) => method },
    { title: 'PATH', value: ({ path }) => path, leastWidth: 20 },
    { title: 'ERROR', value: errorText, optional: true },
    { title: 'ID', value: ({ id }) => id, leastWidth: 'req_'.length + SHORT_ID },
  ];
}

/** What was wrong, by field where the refusal names fields. */
function problems({ message, details }: CallView): string[] {
  if (details.length > 0) return details.map((detail) => `${detail.field}: ${detail.message}`);
  return message === null ? [] : [message];
}

/** One call on a line, with any remarks below it. */
export function callLines(io: Io, call: CallView): string[] {
  const { colour, columns } = io;
  const path = oneLine(call.path, columns === 0 ? 0 : Math.max(columns - 20, 20));
  const error = call.error === null ? '' : ` ${errorText(call)}`;
  const head = `${colour.dim(call.real_at.slice(11, 19))} ${paintStatus(io, call.status)} ${call.method} ${path}${error}`;
  const hints = call.hint === null ? [] : [`${colour.cyan('hint')} ${oneLine(call.hint, 0)}`];
  const warnings = call.warnings.map((warning) => `${colour.yellow('warning')} ${oneLine(warning, 0)}`);
  const faults = call.faults.map(({ action }) => `${colour.magenta('fault')} ${action}`);
  const wrong = problems(call).map((line) => oneLine(line, 0));
  const remarks = [...wrong, ...hints, ...warnings, ...faults];
  return [head, ...remarks.flatMap((line) => `${INDENT}${hanging(line, columns, INDENT)}`.split('\n'))];
}

/** A call with the events and deliveries that followed from it. */
export function callText(io: Io, call: CallDetail): string {
  const known = facts(io, [
    ['call', call.id],
    ['at', `${call.real_at} (sandbox time ${call.at})`],
    ['application', call.app_id ?? ''],
    ['resource', call.resource_id ?? ''],
    ...call.events.map((event): Fact => ['event', `${event.type}  ${event.id}`]),
    ...call.deliveries.map((one): Fact => ['delivery', `${one.event_type}  ${one.status}  ${one.id}`]),
  ]);
  const { error } = call;
  const line = {
    ...call,
    error: error?.code ?? null,
    message: error?.message ?? null,
    details: error?.details ?? [],
  };
  return [...callLines(io, line), known].join('\n');
}
