import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ControlClient } from '../../../client/control.js';
import type { CallDetail, CallView } from '../../../http/control/schema.js';
import { differencesOf } from '../../../text/exchange/differences.js';
import { callExchange } from '../../../text/exchange/shown.js';
import type { Script } from '../../../text/shell/again.js';
import { callAgain, type NoScript } from '../../../text/shell/kept.js';
import type { BodiesOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { readBytes, STDIN } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { present } from '../../sandbox/present.js';
import { schemeOf } from '../../signatures/secrets.js';
import { comparedText } from '../../terminal/differences.js';
import {
  type Column,
  type Fact,
  facts,
  hanging,
  indented,
  oneLine,
  SHORT_ID,
  table,
} from '../../terminal/text.js';
import type { CALLS } from './command.js';

export const calls: BodiesOf<typeof CALLS> = {
  list: present(
    (client, { options: { url: _url, since, ...filters } }) =>
      client.get('calls', { ...filters, since: since?.text }),
    (io, { data }) => (data.length === 0 ? 'No calls.' : table(io, data, callColumns(io))),
  ),
  show: present(
    async (client, { args: { id }, options }) => {
      if (!options.curl) return client.get('calls/:id', { id });
      const { script, leftOut, app } = await scriptOf(client, id);
      return { curl: script, left_out: leftOut, app };
    },
    (io, view) => ('curl' in view ? view.curl : callText(io, view)),
    (_, view) => ('curl' in view ? notesOn(view.left_out, view.app) : ''),
  ),
  replay: present(
    async (client, { io, args, options }) => {
      const { app, newCode: new_code } = options;
      const body = await givenBody(io, options.body);
      return client.post('calls/:id/replay', { id: args.id, body: { body, app, new_code } });
    },
    (io, call) => {
      const changed = call.changed.map((line) => `changed  ${oneLine(line, 0)}`);
      return [`replay of ${call.replay_of}`, ...changed, '', callText(io, call)].join('\n');
    },
    (io, { replay_of: before, id }) =>
      hanging(`What differs: \`${io.program} calls diff ${before} ${id}\`.`, io.columns),
  ),
  diff: present(
    async (client, { args }) => {
      const from = await client.get('calls/:id', { id: args.from });
      const to = await client.get('calls/:id', { id: args.to });
      const unknown = [from, to].filter(({ request }) => request === null).map(({ id }) => id);
      return {
        from: from.id,
        to: to.id,
        ...differencesOf(callExchange(from), callExchange(to)),
        not_kept: unknown,
      };
    },
    (io, { from, to, ...compared }) => comparedText(io, from, to, compared),
  ),
};

/** The body of `--body`: a text, `@file`, or `-` for stdin. */
async function givenBody(io: Io, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = given === STDIN ? STDIN : given.startsWith('@') ? given.slice(1) : undefined;
  if (file === undefined) {
    if (given !== '' && existsSync(resolve(io.cwd, given))) {
      throw usageError('--body takes a text, and this is a file.', `What it holds: \`--body @${given}\`.`);
    }
    return given;
  }
  const bytes = await readBytes(io, file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw usageError(`--body takes text in UTF-8; ${file === STDIN ? 'stdin' : file} is none.`);
}

/** The commands that send a call again, and a call of which application it was where that is not the default one. */
export async function scriptOf(
  client: ControlClient,
  id: string,
): Promise<Script & { readonly app: string | null }> {
  const call = await client.get('calls/:id', { id });
  const script = scriptOrUsage(callAgain(call, client.url, await schemeOf(client)));
  const [first, ...others] = (await client.get('apps')).data;
  const other = others.find((app) => app.id === call.app_id);
  return { ...script, app: first === undefined || other === undefined ? null : other.name };
}

/** The commands; throws a usage error where there are none. */
export function scriptOrUsage(again: Script | NoScript): Script {
  if ('problem' in again) throw usageError(again.problem, again.hint);
  return again;
}

/** What a command lacks, and where its secrets come from if not from the default application. */
function notesOn(leftOut: readonly string[], app: string | null): string {
  const hidden = `Left out, because the log hides their values: ${leftOut.join(', ')}.`;
  const whose = `The call was one of application ${oneLine(app ?? '', 0)}: give the variables its secrets.`;
  return [...(leftOut.length === 0 ? [] : [hidden]), ...(app === null ? [] : [whose])].join('\n');
}

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

function callColumns(io: Io): Column<CallView>[] {
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
  const head =
    `${colour.dim(call.real_at.slice(11, 19))} ${paintStatus(io, call.status)} ` +
    `${call.method} ${path}${error}`;
  const hints = call.hint === null ? [] : [`${colour.cyan('hint')} ${oneLine(call.hint, 0)}`];
  const warnings = call.warnings.map((warning) => `${colour.yellow('warning')} ${oneLine(warning, 0)}`);
  const faults = call.faults.map(({ action }) => `${colour.magenta('fault')} ${action}`);
  const wrong = problems(call).map((line) => oneLine(line, 0));
  const remarks = [...wrong, ...hints, ...warnings, ...faults];
  return [head, ...remarks.flatMap((line) => `${INDENT}${hanging(line, columns, INDENT)}`.split('\n'))];
}

/** A call: what was wrong, what was sent and answered, and what followed from it. */
function callText(io: Io, call: CallDetail): string {
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
    .map((line) => {
      // Wrapping drops leading spaces, which show the structure of JSON.
      const [layout = ''] = /^ */.exec(line) ?? [];
      const indent = IN_MESSAGE + layout;
      return (indent + indented(line.slice(layout.length), indent, columns)).trimEnd();
    })
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
    const isSame = JSON.stringify(value) === body.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gu, '$1');
    return isSame ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
