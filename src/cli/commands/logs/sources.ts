import type { ControlClient } from '../../../client/control.js';
import { NotReachableError } from '../../../client/control.js';
import { LIMITS } from '../../../contract/limits.js';
import type { LogEntry } from '../../../http/control/schema.js';
import type { InvocationOf } from '../../program/declaration.js';
import { notRunning } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { untilAborted } from '../../../delivery/abort.js';
import { eventsOf } from '../listen/plan.js';
import type { logs } from './command.js';
import { logLines } from './text.js';

type Invocation = InvocationOf<typeof logs>;
type Query = Readonly<Record<string, string | undefined>>;

/** The newest calls and attempts, and with `--follow` new ones until a signal. */
export async function showSources(client: ControlClient, { io, options }: Invocation): Promise<void> {
  const { limit } = options;
  const query = queryOf(options);
  if (options.follow) return follow(client, query, limit, io);
  const entries = await newest(client, query, limit, io);
  begin(io, client, newestOf(entries, limit));
  if (entries.length === 0) io.note('No matching calls or attempts yet.');
}

function queryOf(options: Invocation['options']): Query {
  const { url: _url, follow: _follow, limit: _limit, filter: _filter, ...query } = options;
  const { failed, unmatched, events, since, ...filters } = query;
  return {
    ...filters,
    failed: failed ? 'true' : undefined,
    matched: unmatched ? 'false' : undefined,
    type: events === undefined ? undefined : eventsOf(events).join(','),
    since: since?.text,
  };
}

async function newest(client: ControlClient, query: Query, limit: number, io: Io): Promise<LogEntry[]> {
  const wanted = { ...query, limit: String(Math.max(limit, 1)) };
  const { data } = await untilAborted(client.get('logs', wanted), io.stopping);
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
 * Shows past and new entries. The stream is opened before the past is read, so no entry is missed; duplicates are shown
 * once.
 */
async function follow(client: ControlClient, query: Query, limit: number, io: Io): Promise<void> {
  const past = new Set<string>();
  let isReady = false;
  try {
    for await (const message of client.stream('GET stream/logs', { ...query, signal: io.stopping })) {
      if (message.type === 'ready') {
        const entries = await newest(client, query, LIMITS.timelineEntries, io);
        for (const entry of entries) past.add(keyOf(entry));
        begin(io, client, newestOf(entries, limit));
        isReady = true;
      } else if (message.type === 'reset') {
        io.emit(message);
        io.note('The sandbox was reset.');
      } else if ('title' in message) {
        io.emit(message);
        io.note(message.title);
      } else if (!past.delete(keyOf(message))) show(io, message);
    }
  } catch (error) {
    if (!isReady || !(error instanceof NotReachableError)) throw error;
  }
  if (io.stopping.aborted) return;
  throw notRunning(`The sandbox at ${client.url} went away.`);
}

function keyOf(entry: LogEntry): string {
  return entry.type === 'call' ? entry.call.id : `${entry.delivery_id} ${entry.attempt}`;
}
