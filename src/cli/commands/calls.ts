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
  about: 'inspect and replay API requests',
  related: ['logs', 'faults'],
  commands: [
    declareCommand({
      name: 'calls list',
      summary: 'list API requests, newest first',
      description: '`calls show` prints the headers and bodies of a request and its response.',
      options: {
        method: defineMethod('only requests with this method'),
        path: defineText('path', 'only requests to this path (* matches anything)'),
        status: defineText('status', 'only requests with this response status, e.g. 401 or 4xx'),
        since: defineDuration('duration', 'only requests newer than this duration, e.g. 5m (real time)'),
        api: defineChoice('api', 'only requests to this API: api, identity or hosted (the pages)', CALL_APIS),
        ...APP_OPTION,
      },
      examples: ['', '--status 4xx --since 5m'],
    }).shows(
      (client, { options: { url: _url, since, ...filters } }) =>
        client.get('calls', { ...filters, since: since?.text }),
      shown.formatList('No API requests.', callColumns),
    ),
    declareCommand({
      name: 'calls show',
      summary: 'show an API request with its response, error and consequences',
      description:
        'With --curl, prints a command for sh, bash and zsh that resends the request at any time, using ' +
        'secrets from SANDBOX_TOKEN and other environment variables.',
      args: ID,
      options: { curl: defineFlag('print a curl command for the request') },
      examples: ['req_0123', 'req_0123 --curl'],
    }).shows(
      async (client, { args: { id }, options }) => {
        if (!options.curl) return client.get('calls/:id', { id });
        const { script, leftOut, app } = await createReplayScript(client, id);
        return { curl: script, left_out: leftOut, app };
      },
      (io, view) => ('curl' in view ? view.curl : callText(io, view)),
      (_, view) => ('curl' in view ? formatCurlNotes(view.left_out, view.app) : ''),
    ),
    declareCommand({
      name: 'calls replay',
      summary: 'resend an API request with a new signature',
      description:
        'Resends the request to the same API, as the same application; faults apply. Prints the changes.',
      args: ID,
      options: {
        body: defineText('text', 'new body: text, @file, or - for stdin', completeFiles),
        app: { ...APP_NAME_OPTION.app, description: 'send as this application, by id or name' },
        newCode: defineFlag('use a new code or, for the identity API, a new Idempotency-Key'),
      },
      examples: ['req_0123', 'req_0123 --new-code', 'req_0123 --body @charge.json'],
    }).shows(
      async (client, { io, args, options: { body, app, newCode } }) =>
        client.post('calls/:id/replay', {
          id: args.id,
          app,
          body: { body: await readBodyOption(io, body), new_code: newCode },
        }),
      (io, call) => {
        const changed = call.changed.map((line) => `changed  ${shown.toOneLine(line, 0)}`);
        return [`replay of ${call.replay_of}`, ...changed, '', callText(io, call)].join('\n');
      },
      (io, { replay_of: before, id }) =>
        shown.formatHanging(
          `To compare the requests: \`${io.program} calls diff ${before} ${id}\`.`,
          io.columns,
        ),
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
          from: shortenImageDifference(found, found.from),
          to: shortenImageDifference(found, found.to),
        }));
        return shown.formatComparison(io, from, to, { ...compared, differences });
      },
    ),
  ],
};

/** Reads `--body`: text, `@file`, or `-` for stdin. */
async function readBodyOption(io: Io, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  if (given !== '-' && !given.startsWith('@')) {
    if (given === '' || !existsSync(resolve(io.cwd, given))) return given;
    throw createUsageError(
      '--body must be text, but the value is the name of a file.',
      `To send the content of the file, use \`--body @${given}\`.`,
    );
  }
  const { readBytes } = await import('../program/input-bytes.js');
  const file = given.replace(/^@/, '');
  const bytes = await readBytes(io, file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw createUsageError(`--body must be UTF-8 text; ${file === '-' ? 'stdin' : file} is not UTF-8.`);
}

/** Creates the commands to resend a request; `app` is null for the default application. */
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

/** Lists the parts omitted from the command, and names a non-default application. */
function formatCurlNotes(leftOut: readonly string[], app: string | null): string {
  const hidden = `Omitted, because the log redacts their values: ${leftOut.join(', ')}.`;
  const name = shown.toOneLine(app ?? '', 0);
  const whose = `The request belongs to application ${name}; set the variables to its secrets.`;
  return [...(leftOut.length === 0 ? [] : [hidden]), ...(app === null ? [] : [whose])].join('\n');
}

/** Indentation of headers and bodies. */
const IN_MESSAGE = '  ';

function paintStatus({ colors }: Io, status: number, text = String(status)): string {
  const paint = status < 400 ? colors.green : status < 500 ? colors.yellow : colors.red;
  return paint(text);
}

/** Formats the error code; marks an unmatched request with `(no route)`. */
function errorText({ error, matched }: CallView): string {
  return matched ? (error ?? '') : `${error ?? ''} (no route)`.trimStart();
}

/** Returns the resource of a request, or the error code and the invalid fields. */
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

/** Formats a request on one line, followed by its validation issues, hint, warnings and faults. */
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

/** Formats a request with its error, headers, bodies and consequences. */
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
    const answer = response === null ? 'not sent' : `${call.status}\n${messageText(io, response)}`;
    parts.push(`response  ${answer}`);
  }
  return parts.join('\n\n');
}

type Message = Pick<NonNullable<CallDetail['request']>, 'headers' | 'truncated'> &
  Partial<NonNullable<CallDetail['request']>>;

/** Indents headers and bodies, so that they cannot be mistaken for CLI output. */
export function messageText({ columns }: Io, message: Message): string {
  const { headers, body = '', body_base64: encoded, body_bytes, truncated } = message;
  const kept = encoded === undefined ? Buffer.byteLength(body) : Buffer.from(encoded, 'base64').length;
  const text = encoded === undefined ? indentJson(body, shortenImageValue) : `not UTF-8; base64: ${encoded}`;
  return [
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(text === '' ? [] : ['', ...text.split('\n')]),
    ...(truncated ? [`… ${kept} of ${body_bytes} bytes of the body are stored`] : []),
  ]
    .map((line) => {
      // Preserve JSON indentation, which wrapping would drop.
      const [layout = ''] = /^ */.exec(line) ?? [];
      const indent = IN_MESSAGE + layout;
      return (indent + shown.indent(line.slice(layout.length), indent, columns)).trimEnd();
    })
    .join('\n');
}

/** Shortens the QR code image in JSON. */
export function shortenImageValue(key: string, value: unknown): unknown {
  return key === 'qr_code_base64' && typeof value === 'string' ? collapsedImage(value) : value;
}

function collapsedImage(value: string): string {
  return `${value.slice(0, 12)}… (${value.length} characters; --json prints them)`;
}

/** Shortens the value if it is a QR code image. */
function shortenImageDifference({ name }: ExchangeDifference, value: string | null): string | null {
  const isImage = /(?:^|\.)qr_code_base64$/.test(name) && value?.startsWith('"') === true;
  return isImage ? JSON.stringify(collapsedImage(value.slice(1, -1))) : value;
}
