import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CALL_APIS } from '../../contract/fault-kinds.js';
import type { ControlClient } from '../../client/control.js';
import type { CallDetail, CallView } from '../../http/control/exchanges.js';
import type { ShellScript } from '../../text/shell/curl.js';
import { type ExchangeDifference, diffExchanges } from '../../text/exchange/differences.js';
import { indentJson } from '../../text/json.js';
import { presentCallExchange } from '../../text/exchange/present-exchange.js';
import { completeFiles, completeRows } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import { createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { defineChoice, defineDuration, defineFlag, requireArgument, defineText } from '../program/options.js';
import { APP_NAME_OPTION, defineMethod, APP_OPTION } from '../program/shared-options.js';
import * as shown from '../terminal/text.js';

const ID = { id: requireArgument(completeRows('calls')) };

export default {
  about: 'what your code sent to the sandbox, and the results',
  related: ['logs', 'faults'],
  commands: [
    declareCommand({
      name: 'calls list',
      summary: 'what your code sent to the sandbox, newest first',
      description: '`calls show` prints headers and body of an API request and of its response.',
      options: {
        method: defineMethod('only of this method'),
        path: defineText('path', 'only to this path, * for anything'),
        status: defineText('status', 'only with this status, such as 401 or 4xx'),
        since: defineDuration('duration', 'only the most recent, such as 5m of real time'),
        api: defineChoice('api', 'only to this API: api, identity or hosted (the pages)', CALL_APIS),
        ...APP_OPTION,
      },
      examples: ['', '--status 4xx --since 5m'],
    }).shows(
      (client, { options: { url: _url, since, ...filters } }) =>
        client.get('calls', { ...filters, since: since?.text }),
      shown.formatList('No calls.', callColumns),
    ),
    declareCommand({
      name: 'calls show',
      summary: 'show an API request, its response, its problem and its consequences',
      description:
        'With --curl a command for sh, bash and zsh that sends it again at any time, with ' +
        'secrets from SANDBOX_TOKEN and other variables.',
      args: ID,
      options: { curl: defineFlag('print the command that sends it') },
      examples: ['req_0123', 'req_0123 --curl'],
    }).shows(
      async (client, { args: { id }, options }) => {
        if (!options.curl) return client.get('calls/:id', { id });
        const { script, leftOut, app } = await createReplayScript(client, id);
        return { curl: script, left_out: leftOut, app };
      },
      (io, view) => ('curl' in view ? view.curl : callText(io, view)),
      (_, view) => ('curl' in view ? notesOn(view.left_out, view.app) : ''),
    ),
    declareCommand({
      name: 'calls replay',
      summary: 'resend an API request with a new signature',
      description:
        'It is sent to the same API, with its faults, as the recognized application. ' +
        'Prints the changes.',
      args: ID,
      options: {
        body: defineText('text', 'another body: a text, @file, or - for stdin', completeFiles),
        app: { ...APP_NAME_OPTION.app, description: 'send it as this application, by id or name' },
        newCode: defineFlag('change its code; for the identity API, its Idempotency-Key'),
      },
      examples: ['req_0123', 'req_0123 --new-code', 'req_0123 --body @charge.json'],
    }).shows(
      async (client, { io, args, options: { body, app, newCode } }) =>
        client.post('calls/:id/replay', {
          id: args.id,
          app,
          body: { body: await givenBody(io, body), new_code: newCode },
        }),
      (io, call) => {
        const changed = call.changed.map((line) => `changed  ${shown.toOneLine(line, 0)}`);
        return [`replay of ${call.replay_of}`, ...changed, '', callText(io, call)].join('\n');
      },
      (io, { replay_of: before, id }) =>
        shown.formatHanging(`What differs: \`${io.program} calls diff ${before} ${id}\`.`, io.columns),
    ),
    declareCommand({
      name: 'calls diff',
      summary: 'compare two API requests and their responses',
      args: {
        from: requireArgument(completeRows('calls')),
        to: requireArgument(completeRows('calls')),
      },
      examples: ['req_0123 req_4567'],
    }).shows(
      async (client, { args }) => {
        const from = await client.get('calls/:id', { id: args.from });
        const to = await client.get('calls/:id', { id: args.to });
        return {
          from: from.id,
          to: to.id,
          ...diffExchanges(presentCallExchange(from), presentCallExchange(to)),
          not_kept: [from, to].filter(({ request }) => request === null).map(({ id }) => id),
        };
      },
      (io, { from, to, ...compared }) => {
        const differences = compared.differences.map((found) => ({
          ...found,
          from: withoutImage(found, found.from),
          to: withoutImage(found, found.to),
        }));
        return shown.formatComparison(io, from, to, { ...compared, differences });
      },
    ),
  ],
};

/** The body of `--body`: a text, `@file`, or `-` for stdin. */
async function givenBody(io: Io, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  if (given !== '-' && !given.startsWith('@')) {
    if (given === '' || !existsSync(resolve(io.cwd, given))) return given;
    throw createUsageError(
      '--body takes a text, and this is a file.',
      `What it holds: \`--body @${given}\`.`,
    );
  }
  const { readBytes } = await import('../program/input-bytes.js');
  const file = given.replace(/^@/, '');
  const bytes = await readBytes(io, file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw createUsageError(`--body takes text in UTF-8; ${file === '-' ? 'stdin' : file} is none.`);
}

/** Creates commands to resend a request, and names its application unless it is the default one. */
export async function createReplayScript(
  client: ControlClient,
  id: string,
): Promise<ShellScript & { readonly app: string | null }> {
  const [{ createCallScript }, { fetchRequestScheme }] = await Promise.all([
    import('../../text/shell/curl.js'),
    import('../signatures/secrets.js'),
  ]);
  const call = await client.get('calls/:id', { id });
  const again = createCallScript(call, client.url, await fetchRequestScheme(client));
  if ('problem' in again) throw createUsageError(again.problem, again.hint);
  const [first, ...others] = (await client.get('apps')).data;
  const other = others.find((app) => app.id === call.app_id);
  return { ...again, app: first === undefined || other === undefined ? null : other.name };
}

/**
 * Lists the omitted parts of a command, and the source of its secrets unless it is the default application.
 */
function notesOn(leftOut: readonly string[], app: string | null): string {
  const hidden = `Left out, because the log hides their values: ${leftOut.join(', ')}.`;
  const whose = `The call was one of application ${shown.toOneLine(app ?? '', 0)}: give the variables its secrets.`;
  return [...(leftOut.length === 0 ? [] : [hidden]), ...(app === null ? [] : [whose])].join('\n');
}

/** Headers and bodies are indented. */
const IN_MESSAGE = '  ';

function paintStatus({ colors }: Io, status: number, text = String(status)): string {
  const paint = status < 400 ? colors.green : status < 500 ? colors.yellow : colors.red;
  return paint(text);
}

/** The error of a call; marks a call that matched no route. */
function errorText({ error, matched }: CallView): string {
  return matched ? (error ?? '') : `${error ?? ''} (no route)`.trimStart();
}

/** Describes the result of a request: its resource, or its error and the invalid fields. */
function resultText(call: CallView): string {
  if (call.error === null) return call.resource_code ?? call.resource_id ?? errorText(call);
  const fields = [...new Set(call.details.map(({ field }) => field))].join(', ');
  return fields === '' ? errorText(call) : `${errorText(call)}: ${fields}`;
}

function callColumns(io: Io): shown.TextColumn<CallView>[] {
  return [
    { title: 'AT', value: ({ real_at: at }) => at.slice(11, 19) },
    {
      title: 'STATUS',
      value: ({ status }) => String(status),
      paint: (text, { status }) => paintStatus(io, status, text),
    },
    shown.createColumn('method'),
    shown.createColumn('path', { minWidth: 20 }),
    { title: 'RESULT', value: resultText, optional: true },
    shown.createColumn('id', { minWidth: 'req_'.length + shown.SHORT_ID }),
  ];
}

/** One call on a line, with any remarks below it: what was wrong, by field where the refusal names fields. */
export function formatCall(io: Io, call: CallView): string[] {
  const { colors, columns } = io;
  const { details, message, hint } = call;
  const path = shown.toOneLine(call.path, columns === 0 ? 0 : Math.max(columns - 20, 20));
  const error = call.error === null ? '' : ` ${errorText(call)}`;
  const head =
    `${colors.dim(call.real_at.slice(11, 19))} ${paintStatus(io, call.status)} ` +
    `${call.method} ${path}${error}`;
  const line = (text: string) => shown.toOneLine(text, 0);
  const wrong = details.map(({ field, message: problem }) => line(`${field}: ${problem}`));
  const remarks = [
    ...(wrong.length > 0 || message === null ? wrong : [line(message)]),
    ...(hint === null ? [] : [`${colors.cyan('hint')} ${line(hint)}`]),
    ...call.warnings.map((warning) => `${colors.yellow('warning')} ${line(warning)}`),
    ...call.faults.map(({ action }) => `${colors.magenta('fault')} ${action}`),
  ];
  return [
    head,
    ...remarks.flatMap((one) =>
      `${shown.LOG_INDENT}${shown.formatHanging(one, columns, shown.LOG_INDENT)}`.split('\n'),
    ),
  ];
}

/** Formats a request: its problem, both messages, and the consequences. */
function callText(io: Io, call: CallDetail): string {
  const { error, request, response, resource_id: id, resource_code: code } = call;
  const { message = null, details = [] } = error ?? {};
  const known = shown.formatFacts(io, [
    ['call', call.id],
    ['at', `${call.real_at} (sandbox time ${call.at})`],
    ['took', call.duration_ms === null ? '' : `${call.duration_ms} ms`],
    ['application', call.app_id],
    ['resource', code === null ? (id ?? '') : `${code} (${id})`],
    ...call.events.map((event): shown.TextFact => ['event', `${event.type}  ${event.id}`]),
    ...call.deliveries.map((one): shown.TextFact => [
      'delivery',
      `${one.event_type}  ${one.status}  ${one.id}`,
    ]),
  ]);
  const lines = formatCall(io, { ...call, error: error?.code ?? null, message, details });
  const parts = [`${lines.join('\n')}\n${known}`];
  if (request !== null) {
    parts.push(`request  ${call.method} ${shown.toOneLine(call.path, 0)}\n${messageText(io, request)}`);
    const answer = response === null ? 'none was sent' : `${call.status}\n${messageText(io, response)}`;
    parts.push(`answer  ${answer}`);
  }
  return parts.join('\n\n');
}

type Message = NonNullable<CallDetail['request']>;

/** Headers and body, indented: nothing in them can be mistaken for a line of ours. */
function messageText({ columns }: Io, message: Message): string {
  const { headers, body = '', body_base64: encoded, body_bytes, truncated } = message;
  const kept = encoded === undefined ? Buffer.byteLength(body) : Buffer.from(encoded, 'base64').length;
  const text =
    encoded === undefined ? indentJson(body, collapsed) : `base64, because it is not UTF-8: ${encoded}`;
  return [
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(text === '' ? [] : ['', ...text.split('\n')]),
    ...(truncated ? [`… ${kept} of ${body_bytes} bytes of the body are kept`] : []),
  ]
    .map((line) => {
      // Wrapping drops leading spaces, which show the structure of JSON.
      const [layout = ''] = /^ */.exec(line) ?? [];
      const indent = IN_MESSAGE + layout;
      return (indent + shown.indent(line.slice(layout.length), indent, columns)).trimEnd();
    })
    .join('\n');
}

/** Collapses the image of a charge in JSON. */
function collapsed(key: string, value: unknown): unknown {
  return key === 'qr_code_base64' && typeof value === 'string' ? collapsedImage(value) : value;
}

function collapsedImage(value: string): string {
  return `${value.slice(0, 12)}… (${value.length} characters; --json prints them)`;
}

/** A value that differs, as JSON; its image is collapsed. */
function withoutImage({ name }: ExchangeDifference, value: string | null): string | null {
  const isImage = /(?:^|\.)qr_code_base64$/.test(name) && value?.startsWith('"') === true;
  return isImage ? JSON.stringify(collapsedImage(value.slice(1, -1))) : value;
}
