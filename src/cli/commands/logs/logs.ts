import type { ControlClient } from '../../../client/control-client.js';
import { NotReachableError } from '../../../client/control-client.js';
import type { LogEntry } from '../../../http/control/schema.js';
import { durationOrUsage } from '../../program/arguments.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { notRunning, usageError } from '../../program/errors.js';
import type { CommandBody, Io, Options } from '../../program/io.js';
import { eventsOf } from '../listen/plan.js';
import { logLines } from './text.js';
import { untilAborted } from '../../program/until-aborted.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

type Query = Readonly<Record<string, string | undefined>>;
type Message = LogEntry | { readonly type: 'ready' } | { readonly type: 'reset' };

const SOURCES = ['calls', 'deliveries', 'all'];
/** The doors whose calls are kept. */
const DOORS = ['api', 'identity', 'hosted'];
const DEFAULT_LIMIT = '50';
/** The most that the sandbox gives at a time: far more than can happen while a stream opens. */
const MOST_ENTRIES = 2_000;

/** `sandbox logs`: the newest calls and attempts, and with `--follow` those to come, until a signal. */
export const logs: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const query = queryOf(options);
  const limit = limitOf(options.text('limit') ?? DEFAULT_LIMIT);
  await withSandbox(invocation, async (client) => {
    if (options.flag('follow')) return follow(client, query, limit, io);
    const entries = await newest(client, query, limit, io);
    begin(io, client, newestOf(entries, limit));
    if (entries.length === 0) io.note('Nothing that fits has happened yet.');
  });
};

function queryOf(options: Options): Query {
  const oneOf = (name: string, choices: readonly string[]) => {
    const text = options.text(name);
    return text === undefined ? undefined : oneOfOrUsage(name, text, choices);
  };
  const events = options.text('events');
  const since = options.text('since');
  return {
    source: oneOf('source', SOURCES),
    status: options.text('status'),
    failed: options.flag('failed') ? 'true' : undefined,
    method: options.text('method'),
    path: options.text('path'),
    door: oneOf('door', DOORS),
    matched: options.flag('unmatched') ? 'false' : undefined,
    type: events === undefined ? undefined : eventsOf(events).join(','),
    endpoint: options.text('endpoint'),
    since: since === undefined ? undefined : durationOrUsage('--since', since),
    app: options.text('app'),
  };
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (limit <= MOST_ENTRIES) return limit;
  throw usageError(`--limit must be a whole number from 0 to ${MOST_ENTRIES}; got ${text}.`);
}

async function newest(client: ControlClient, query: Query, limit: number, io: Io): Promise<LogEntry[]> {
  const wanted = { ...query, limit: String(Math.max(limit, 1)) };
  const { data } = await untilAborted(client.get<{ data: LogEntry[] }>('logs', wanted), io.stopping);
  return data;
}

function newestOf(entries: readonly LogEntry[], limit: number): readonly LogEntry[] {
  return entries.slice(Math.max(entries.length - limit, 0));
}

function begin(io: Io, { url }: ControlClient, entries: readonly LogEntry[]): void {
  io.emit({ type: 'ready', url });
  for (const entry of entries) show(io, entry);
}

function show(io: Io, entry: LogEntry): void {
  io.emit(entry);
  if (!io.json) for (const line of logLines(io, entry)) io.say(line);
}

/**
 * Shows what was and what comes. The stream is open before the past is read, so nothing lies between the two; what came both
 * ways is shown once.
 */
async function follow(client: ControlClient, query: Query, limit: number, io: Io): Promise<void> {
  const past = new Set<string>();
  let isReady = false;
  try {
    for await (const message of client.events<Message>('stream/logs', query, io.stopping)) {
      if (message.type === 'ready') {
        const entries = await newest(client, query, MOST_ENTRIES, io);
        for (const entry of entries) past.add(keyOf(entry));
        begin(io, client, newestOf(entries, limit));
        isReady = true;
      } else if (message.type === 'reset') {
        io.emit(message);
        io.note('The sandbox was reset.');
      } else if (!past.delete(keyOf(message))) show(io, message);
    }
  } catch (error) {
    if (!isReady || !(error instanceof NotReachableError)) throw error;
  }
  if (io.stopping.aborted) return;
  throw notRunning(`The sandbox at ${client.url} went away.`);
}

function keyOf(entry: LogEntry): string {
  return entry.type === 'call' ? entry.call.request_id : `${entry.delivery_id} ${entry.attempt}`;
}
