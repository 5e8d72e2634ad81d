import { CALL_APIS } from '../../contract/fault-kinds.js';
import { NotReachableError, type ControlClient } from '../../client/control.js';
import { LIMITS } from '../../contract/limits.js';
import { isFailed } from '../../contract/transitions.js';
import type { AttemptEntry, LogEntry } from '../../http/control/exchanges.js';
import type { EntryView, TimelineBreakView, TraceNodeView, TraceView } from '../../http/control/timeline.js';
import { raceAbort } from '../../delivery/abort.js';
import { formatOutcome } from '../../text/exchange/present-exchange.js';
import { completeFiles, completeRows, completeList } from '../completion/sources.js';
import { querySandbox, declareCommand, listPassedFlags, type InvocationOf } from '../program/declaration.js';
import { createNotRunningError, createUsageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import {
  defineChoice,
  defineDuration,
  defineFlag,
  withDefault,
  requireArgument,
  acceptRest,
  defineText,
  defineValue,
} from '../program/options.js';
import {
  APP_NAME_OPTION,
  EVENT_PATTERN_VALUES,
  EXAMPLE_IDS,
  defineMethod,
} from '../program/shared-options.js';
import * as shown from '../terminal/text.js';
import { formatInstant, formatRelativeTime, formatSpan } from '../terminal/time-text.js';
import { formatCall } from './calls.js';
import { formatAttemptHead, MISSING_STATUS, formatReason } from './listen/attempt-text.js';

const limit = defineValue(
  {
    placeholder: 'n',
    description: `number of recent entries to print first, 0 to ${LIMITS.timelineEntries} (default: 50)`,
  },
  (given, flag) => {
    const value = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
    if (value <= LIMITS.timelineEntries) return value;
    throw createUsageError(
      `${flag} must be a whole number from 0 to ${LIMITS.timelineEntries}; got ${given}.`,
    );
  },
);

/** With any of these options, `logs` prints only requests and attempts. */
const SOURCES = {
  source: defineChoice('source', 'calls: only API requests; deliveries: only attempts; all: both', [
    'calls',
    'deliveries',
    'all',
  ]),
  status: defineText('statuses', 'only with these response statuses, e.g. 401 or 4xx,5xx'),
  failed: defineFlag('only failures: 4xx, 5xx and failed attempts'),
  method: defineMethod('only API requests with this method'),
  path: defineText('glob', "only API requests to this path, e.g. '/api/public/v1/*'"),
  api: defineChoice('api', 'only requests to this API: api, identity or hosted (the pages)', CALL_APIS),
  unmatched: defineFlag('only API requests that matched no route'),
  events: defineText(
    'types',
    'only deliveries of these events, e.g. pix.*',
    completeList(EVENT_PATTERN_VALUES),
  ),
  endpoint: defineText(
    'endpoint',
    'only deliveries to this endpoint, by id, URL or description',
    completeRows('endpoints'),
  ),
  since: defineDuration('duration', 'only entries newer than this duration, e.g. 5m (real time)'),
  ...APP_NAME_OPTION,
};

const logsDeclared = declareCommand({
  name: 'logs',
  summary:
    'print the timeline in sandbox time, oldest first: API requests, changes, events, attempts and more',
  description:
    'Filters (all must match): `status:5xx`, `method:POST`, `path:/api/*`, ' +
    '`type:pix.settled`, `is:failed`, `is:unmatched`, `kind:attempt`, `by:scenario`, ' +
    '`to:shop`, `charge:order-1`, `since:5m`, or any text. `--filter -kind:clock` excludes ' +
    'matches. With --source, or an option below for API requests or deliveries, prints only ' +
    'API requests and deliveries, with their errors, in real time (UTC).',
  args: { filter: acceptRest() },
  options: {
    filter: defineText('filter', 'only timeline entries that match, e.g. -kind:clock'),
    follow: {
      ...defineFlag('print new entries until Ctrl-C; exits with 3 if the sandbox stops'),
      alias: '-f',
    },
    limit: withDefault(limit, 50),
    ...SOURCES,
  },
  examples: [
    '',
    '--follow',
    'is:failed since:1h',
    "--status 4xx --path '/api/public/v1/*'",
    '--source deliveries --json',
  ],
  related: ['trace', 'calls', 'deliveries', 'status'],
});

type Invocation = InvocationOf<typeof logsDeclared>;

export const logs = logsDeclared.runs(async () => showLogs);

async function showLogs(invocation: Invocation): Promise<void> {
  const { args, options } = invocation;
  const q = [...args.filter, options.filter ?? []].flat().join(' ');
  const [source] = listPassedFlags(options, Object.keys(SOURCES) as (keyof typeof SOURCES)[]);
  if (source !== undefined && q !== '') {
    throw createUsageError(
      `${source} cannot be combined with the filter ${q}.`,
      'Filters search the timeline; use is:failed, status:4xx, path:/api/* or since:5m instead.',
    );
  }
  await querySandbox(invocation, (client) =>
    source === undefined ? showTimeline(client, q || undefined, invocation) : showSources(client, invocation),
  );
}

/** Prints the newest entries, and with `--follow` also new entries until interrupted. */
async function showTimeline(
  client: ControlClient,
  q: string | undefined,
  { io, options: { limit, follow } }: Invocation,
): Promise<void> {
  const past = client.get('timeline', { q, limit: Math.max(limit, 1) });
  const { newest, data } = await raceAbort(past, io.stopping);
  io.emit({ type: 'ready', url: client.url });
  for (const entry of limit === 0 ? [] : data) showEntry(io, entry);
  if (follow) await followTimeline(client, io, { q, after: newest }, (entry) => showEntry(io, entry));
  else if (data.length === 0) io.note('No matching entries yet.');
}

type Message = EntryView | TimelineBreakView;

/** Streams entries newer than `after`; reconnects once after each successful connection. */
async function followTimeline(
  client: ControlClient,
  io: Io,
  first: { readonly q?: string | undefined; readonly after: number },
  accept: (message: Message) => void | Promise<void>,
): Promise<void> {
  let from: { readonly after?: number; readonly lastEventId?: string } = { after: first.after };
  for (let isOpen = true; isOpen;) {
    isOpen = false;
    let run = '';
    try {
      const given = { q: first.q, ...from, signal: io.stopping };
      for await (const message of client.stream('GET stream/timeline', given)) {
        if ('run' in message) {
          isOpen = true;
          ({ run } = message);
          continue;
        }
        await accept(message);
        if (!isBreak(message)) from = { lastEventId: `${run}-${message.seq}` };
      }
      isOpen = false;
    } catch (error) {
      if (!(error instanceof NotReachableError)) throw error;
    }
    if (io.stopping.aborted) return;
  }
  throw createNotRunningError(`Lost the connection to the sandbox at ${client.url}.`);
}

function showEntry(io: Io, entry: Message): void {
  io.emit(entry);
  if (io.json) return;
  if (isBreak(entry)) io.note(`${entry.title}.`);
  else io.say(entryLine(io, entry));
}

/** Returns true if the stream could not resume: older entries are gone, or the sandbox was restarted. */
function isBreak(entry: Message): entry is TimelineBreakView {
  return entry.kind === 'gap' || entry.kind === 'restarted';
}

const RESETS: ReadonlySet<unknown> = new Set(['reset', 'restored', 'imported']);

/** Prints the newest requests and attempts, and with `--follow` also later ones until interrupted. */
async function showSources(client: ControlClient, { io, options }: Invocation): Promise<void> {
  const { parseEventTypes } = await import('./listen/plan.js');
  const { url: _url, follow, limit, filter: _filter, failed, unmatched, events, since, ...filters } = options;
  const query = {
    ...filters,
    failed: failed ? 'true' : undefined,
    matched: unmatched ? 'false' : undefined,
    type: events === undefined ? undefined : parseEventTypes(events).join(','),
    since: since?.text,
  };
  const read = (paging: { after?: number; limit?: number }) =>
    raceAbort(client.get('logs', { ...query, ...paging }), io.stopping);
  const { data: past, newest } = await read({ limit: Math.max(limit, 1) });
  io.emit({ type: 'ready', url: client.url });
  for (const entry of limit === 0 ? [] : past) showLogEntry(io, entry);
  if (!follow) {
    if (past.length === 0) io.note('No matching API requests or attempts yet.');
    return;
  }
  let after = newest;
  const note = (change: { readonly type: string; readonly title?: string }) => {
    io.emit(change);
    io.note(change.title ?? 'The sandbox was reset.');
  };
  await followTimeline(client, io, { after }, async (message) => {
    if (isBreak(message)) note({ type: message.kind, title: message.title });
    else if (message.kind === 'state' && RESETS.has(message.to)) note({ type: 'reset' });
    else if (message.seq > after && (message.kind === 'call' || message.kind === 'attempt')) {
      const fresh = await read({ after });
      after = fresh.newest;
      for (const entry of fresh.data) showLogEntry(io, entry);
    }
  });
}

function showLogEntry(io: Io, entry: LogEntry): void {
  io.emit(entry);
  if (io.json) return;
  for (const line of entry.type === 'call' ? formatCall(io, entry.call) : attemptLines(io, entry))
    io.say(line);
}

const GAP = '  ';
const WHEN_WIDTH = 'MM-DD hh:mm:ss'.length;
const LONGEST_OUTCOME = 30;

/** Formats an entry, on one line if it fits: sandbox time, title, outcome, and the id for `trace`. */
function entryLine(io: Io, entry: EntryView): string {
  const { columns, colors } = io;
  const { kind, cause, by, scenario, title: whole } = entry;
  // Show the actor only in entries without a cause.
  const step = { kind, title: whole, ...(cause === null ? { by, scenario } : {}) };
  const { title, painted } = stepText(io, step, outcomeOf(entry));
  const when = entry.at.slice(5, 19).replace('T', ' ');
  const id = shownId(entry, columns);
  // Avoid printing the id twice on a line.
  const words = shown.toOneLine(id === '' ? title : title.replace(` ${entry.id}`, ''), 0);
  const indent = ' '.repeat(WHEN_WIDTH + GAP.length);
  const [first = '', ...others] = shown.wrapText(words, columns === 0 ? 0 : columns - indent.length);
  const lines = [colors.dim(when) + GAP + first, ...others.map((line) => indent + line)];
  const end = [painted, colors.dim(id)].filter((part) => part !== '').join(GAP);
  const last = [lines.pop() ?? '', end].filter((part) => part !== '');
  return [...lines, ...shown.formatItems(last, indent, columns)].join('\n');
}

function outcomeOf({ kind, status, error, to }: EntryView): string {
  if (kind === 'call' || kind === 'attempt')
    return shown.toOneLine(formatOutcome({ status, error }), LONGEST_OUTCOME);
  return kind === 'change' || kind === 'delivery' ? (to ?? '') : '';
}

/** Returns the id for `trace`, shortened on a terminal; for an attempt, the id of its delivery. */
function shownId({ kind, id, delivery_id }: EntryView, columns: number): string {
  if (kind === 'state') return '';
  const whole = shown.toOneLine((kind === 'attempt' ? delivery_id : id) ?? '', 0);
  if (columns === 0) return whole;
  const prefix = /^[a-z]{1,8}_/.exec(whole)?.[0] ?? '';
  return shown.fitText(whole, prefix.length + shown.SHORT_ID);
}

const LEAST_NAME = 16;

function attemptLines(io: Io, entry: AttemptEntry): string[] {
  const { colors, columns } = io;
  const { event_type, event_id, resource, response_status: status, error, latency_ms, faults } = entry;
  const { attempt, attempt_limit, delivery_id, endpoint_name, real_at } = entry;
  const event = `${event_type} of ${shown.toOneLine(resource.code, 40)} → `;
  const room = columns - shown.LOG_INDENT.length - MISSING_STATUS.length - 1 - event.length;
  const name = shown.toOneLine(endpoint_name ?? '(deleted)', columns === 0 ? 0 : Math.max(room, LEAST_NAME));
  const detail = `${Math.round(latency_ms)} ms  attempt ${attempt} of ${attempt_limit}  ${event_id}`;
  const head = { time: real_at.slice(11, 19), status, isGood: error === null, what: event + name, detail };
  const width = columns === 0 ? 0 : columns - shown.LOG_INDENT.length;
  const reason = formatReason(entry);
  const below = [
    ...(reason === '' ? [] : [shown.fitText(reason, width)]),
    ...faults.map(({ action }) => `${colors.magenta('fault')} ${action}`),
    ...(error !== null && attempt >= attempt_limit
      ? [colors.yellow(`last attempt; to retry: ${io.program} deliveries retry ${delivery_id}`)]
      : []),
  ];
  return [...formatAttemptHead(io, head), ...below.map((line) => shown.LOG_INDENT + line)];
}

export const trace = declareCommand({
  name: 'trace',
  summary: 'trace the causes and consequences of an API request, payment, event or delivery',
  description:
    'Prints a tree from the root cause to each attempt, with the API requests received during the ' +
    'attempt, then later traces and the next due items of the same resource. Identify payments ' +
    'by code, and attempts by `<delivery id>.<number>`.',
  args: { id: requireArgument(completeRows('deliveries')) },
  examples: [EXAMPLE_IDS.event],
  related: ['logs', 'calls', 'deliveries', 'agenda'],
}).shows((client, { args: { id } }) => client.get('trace/:id', { id }), traceText);

export const reportDeclared = declareCommand({
  name: 'report',
  summary: 'write a bug report: a trace with its whole exchanges, versions, settings and faults',
  description:
    'Writes one HTML file without scripts, or prints JSON with --json. Accepts the ids of `trace`. ' +
    'Redacts secrets, personal fields, metadata, unknown fields and headers, query values, and text ' +
    'responses of receivers. Codes, ids, URL paths and amounts are shown. Existing files are not overwritten.',
  args: { id: requireArgument(completeRows('deliveries')) },
  options: {
    output: defineText('file', 'write the HTML to this file (default: report-<id>.html)', completeFiles),
    withData: defineFlag('include personal data and text responses, but no secrets'),
  },
  examples: ['order-1', `${EXAMPLE_IDS.event} --output bug.html`, 'order-1 --with-data --json'],
  related: ['trace', 'calls', 'deliveries'],
});

export const report = reportDeclared.runs(async () => (await import('./report/report.js')).runReport);

function traceText(io: Io, { root, later, due, replaced }: TraceView, nowMs: number): string {
  const origin =
    replaced === null
      ? 'The first step predates the timeline'
      : `The first step belongs to the state loaded at ${formatInstant(replaced.at)} (${replaced.title})`;
  const note = `${origin}: its cause is unknown.`;
  const notes =
    root.by === undefined ? ['', ...shown.wrapText(shown.escapeControlCharacters(note), io.columns)] : [];
  const next = due.map(
    ({ at, title }) => `  ${formatRelativeTime(at, nowMs)}  ${shown.escapeControlCharacters(title)}`,
  );
  const after = [...notes, ...(next.length === 0 ? [] : ['', 'Due next', ...next])];
  const start = { before: '', below: '', startMs: Date.parse(root.at) };
  const trees = [root, ...later].flatMap((story) => Array.from(treeLines(io, story, start)));
  return [formatInstant(root.at), ...trees, ...after.map((line) => shown.fitText(line, io.columns))].join(
    '\n',
  );
}

interface Branch {
  /** Tree prefix for a step; `below` is the prefix for its children. */
  readonly before: string;
  readonly below: string;
  readonly startMs: number;
}

const LATER_WIDTH = 9;

/** Yields a line per step: the time since the first step, the title and the outcome. */
function* treeLines(io: Io, node: TraceNodeView, { before, below, startMs }: Branch): Generator<string> {
  const { at, during, children } = node;
  const laterMs = Date.parse(at) - startMs;
  const when = laterMs === 0 ? '' : `+${formatSpan(laterMs)}`;
  const { title, plain, painted } = stepText(io, node, node.outcome ?? '');
  const start = `${when.padStart(LATER_WIDTH)}  ${before}${during ? 'during the attempt: ' : ''}${title}`;
  const width = io.columns === 0 ? 0 : io.columns - (plain === '' ? 0 : plain.length + GAP.length);
  yield shown.fitText(start, width) + (plain === '' ? '' : GAP + painted);
  for (const [index, child] of children.entries()) {
    const isLast = index === children.length - 1;
    yield* treeLines(io, child, {
      before: `${below}${isLast ? '└ ' : '├ '}`,
      below: `${below}${isLast ? '  ' : '│ '}`,
      startMs,
    });
  }
}

/** Timeline entry or trace node. */
type Step = Pick<EntryView, 'kind' | 'title'> & Partial<Pick<EntryView, 'by' | 'scenario'>>;

/** Returns a step's title without its outcome, and the outcome as plain and colored text. */
function stepText({ colors }: Io, step: Step, outcome: string) {
  const { kind, title } = step;
  const plain = shown.escapeControlCharacters(outcome);
  const isBad = kind === 'attempt' || kind === 'call' ? !/^2\d\d$/.test(outcome) : isFailed(outcome);
  const text = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  return {
    title: formatInitiator(step) + shown.escapeControlCharacters(text.replace(/(?:: | → | )$/, '')),
    plain,
    painted: isBad ? colors.red(plain) : plain,
  };
}

/** Returns a prefix for steps started by a scenario or the console, otherwise an empty string. */
function formatInitiator({ by, scenario }: Step): string {
  if (by === 'console') return 'console: ';
  return by === 'scenario' ? `${shown.toOneLine(`scenario ${scenario ?? ''}`, 0)}: ` : '';
}
