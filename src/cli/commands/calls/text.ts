import type { CallDetail, CallView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { hanging, indented, oneLine, SHORT_ID } from '../../terminal/text.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';

/** Further lines are indented to the status of the first line. */
const INDENT = ' '.repeat('00:00:00 '.length);
/** Headers and bodies are indented. */
const IN_MESSAGE = '  ';

function paintStatus({ colour }: Io, status: number, text = String(status)): string {
  const paint = status < 400 ? colour.green : status < 500 ? colour.yellow : colour.red;
  return paint(text);
}

/** The error of a call; marks a call that matched no route. */
function errorText({ error, matched }: CallView): string {
  return matched ? (error ?? '') : `${error ?? ''} (no route)`.trimStart();
}

/** What came of a call: the resource of its answer, or its error and the fields that were wrong. */
function resultText(call: CallView): string {
  if (call.error === null) return call.resource_code ?? call.resource_id ?? errorText(call);
  const fields = [...new Set(call.details.map(({ field }) => field))].join(', ');
  return fields === '' ? errorText(call) : `${errorText(call)}: ${fields}`;
}

function resourceText({ resource_id: id, resource_code: code }: CallDetail): string {
  return code === null ? (id ?? '') : `${code} (${id})`;
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
    { title: 'RESULT', value: resultText, optional: true },
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

/** A call: what was wrong, what was sent and answered, and what followed from it. */
export function callText(io: Io, call: CallDetail): string {
  const { error, request, response } = call;
  const { message = null, details = [] } = error ?? {};
  const known = facts(io, [
    ['call', call.id],
    ['at', `${call.real_at} (sandbox time ${call.at})`],
    ['took', call.duration_ms === null ? '' : `${call.duration_ms} ms`],
    ['application', call.app_id ?? ''],
    ['resource', resourceText(call)],
    ...call.events.map((event): Fact => ['event', `${event.type}  ${event.id}`]),
    ...call.deliveries.map((one): Fact => ['delivery', `${one.event_type}  ${one.status}  ${one.id}`]),
  ]);
  const lines = callLines(io, { ...call, error: error?.code ?? null, message, details });
  const parts = [`${lines.join('\n')}\n${known}`];
  if (request !== null) {
    parts.push(`request  ${call.method} ${oneLine(call.path, 0)}\n${messageText(io, request)}`);
    const answer = response === null ? 'none was sent' : `${call.status}\n${messageText(io, response)}`;
    parts.push(`answer  ${answer}`);
  }
  return parts.join('\n\n');
}

type Message = NonNullable<CallDetail['request']>;

/** Headers and body, indented: nothing in them can be mistaken for a line of ours. */
function messageText({ columns }: Io, message: Message): string {
  const { headers, body, body_base64, body_bytes, truncated } = message;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const shown = [...lines, ...bodyLinesOf(message)];
  const kept = Buffer.byteLength(body ?? Buffer.from(body_base64 ?? '', 'base64'));
  const note = truncated ? [`… ${kept} of ${body_bytes} bytes of the body are kept`] : [];
  return [...shown, ...note]
    .map((line) => (IN_MESSAGE + indented(line, IN_MESSAGE, columns)).trimEnd())
    .join('\n');
}

/** The lines of a body, after an empty one; JSON is laid out, unless that would change a value. */
function bodyLinesOf({ body, body_base64: encoded }: Pick<Message, 'body' | 'body_base64'>): string[] {
  if (encoded !== undefined) return ['', `base64, because it is not UTF-8: ${encoded}`];
  if (body === undefined || body === '') return [];
  return ['', ...laidOut(body).split('\n')];
}

function laidOut(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const isSame = JSON.stringify(value) === withoutBlanks(body);
    return isSame ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}

/** JSON without the blanks between its parts. */
function withoutBlanks(json: string): string {
  let isText = false;
  let isEscaped = false;
  return Array.from(json)
    .filter((character) => {
      if (isText) {
        isText = isEscaped || character !== '"';
        isEscaped = !isEscaped && character === '\\';
        return true;
      }
      isText = character === '"';
      return !/\s/.test(character);
    })
    .join('');
}
