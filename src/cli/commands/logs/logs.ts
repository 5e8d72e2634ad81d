import { NotReachableError, type ControlClient } from '../../../client/control.js';
import { LIMITS } from '../../../contract/limits.js';
import { untilAborted } from '../../../delivery/abort.js';
import type { EntryView, LogEntry, TimelineBreakView } from '../../../http/control/schema.js';
import { flagsGiven, type BodyOf, type InvocationOf } from '../../program/declaration.js';
import { notRunning, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import { eventsOf } from '../listen/plan.js';
import type { logs } from './command.js';
import { entryLine, logLines } from './text.js';

type Invocation = InvocationOf<typeof logs>;
type Query = Readonly<Record<string, string | undefined>>;

const SOURCE_OPTIONS = [
  'source',
  'status',
  'failed',
  'method',
  'path',
  'door',
  'unmatched',
  'events',
  'endpoint',
  'since',
  'app',
] as const;

/** `sandbox logs`: the timeline, or with `--source` and its filters only calls and attempts. */
export const showLogs: BodyOf<typeof logs> = async (invocation) => {
  const { args, options } = invocation;
  const q = [...args.filter, options.filter ?? []].flat().join(' ');
  const [sourceOption] = flagsGiven(options, SOURCE_OPTIONS);
  if (sourceOption !== undefined && q !== '') {
    throw usageError(
      `${sourceOption} and the filter ${q} contradict each other.`,
      'A filter is about the timeline: in it write is:failed, status:4xx, path:/api/* or since:5m.',
    );
  }
  await withSandbox(invocation, (client) =>
    sourceOption === undefined
      ? showTimeline(client, q === '' ? undefined : q, invocation)
      : showSources(client, invocation),
  );
};

/** Shows the newest entries, and with `--follow` new ones until a signal. */
async function showTimeline(
  client: ControlClient,
  q: string | undefined,
  { io, options: { limit, follow } }: Invocation,
): Promise<void> {
  const past = client.get('timeline', { q, limit: Math.max(limit, 1) });
  const { run, newest, data } = await untilAborted(past, io.stopping);
  io.emit({ type: 'ready', url: client.url });
  for (const entry of limit === 0 ? [] : data) showEntry(io, entry);
  if (follow) await followTimeline(client, q, `${run}-${newest}`, io);
  else if (data.length === 0) io.note('Nothing that matches has happened yet.');
}

/** Shows what comes after a message; a connection that breaks is resumed once for each time that it held. */
async function followTimeline(
  client: ControlClient,
  q: string | undefined,
  after: string,
  io: Io,
): Promise<void> {
  let lastEventId = after;
  for (let isOpen = true; isOpen;) {
    isOpen = false;
    let run = '';
    try {
      const given = { q, lastEventId, signal: io.stopping };
      for await (const message of client.stream('GET stream/timeline', given)) {
        if ('run' in message) {
          isOpen = true;
          ({ run } = message);
          continue;
        }
        showEntry(io, message);
        if (!isBreak(message)) lastEventId = `${run}-${message.seq}`;
      }
      isOpen = false;
    } catch (error) {
      if (!(error instanceof NotReachableError)) throw error;
    }
    if (io.stopping.aborted) return;
  }
  throw notRunning(`The sandbox at ${client.url} went away.`);
}

function showEntry(io: Io, entry: EntryView | TimelineBreakView): void {
  io.emit(entry);
  if (io.json) return;
  if (isBreak(entry)) io.note(`${entry.title}.`);
  else io.say(entryLine(io, entry));
}

/** Whether the stream could not continue where it was cut: older entries are gone, or the sandbox was started again. */
function isBreak(entry: EntryView | TimelineBreakView): entry is TimelineBreakView {
  return entry.kind === 'gap' || entry.kind === 'restarted';
}

/**
 * Shows the newest calls and attempts, and with `--follow` new ones until a signal. The stream is opened
 * before the past is read, so no entry is missed; duplicates are shown once.
 */
async function showSources(client: ControlClient, { io, options }: Invocation): Promise<void> {
  const { limit, follow } = options;
  const query = queryOf(options);
  const showPast = async (count: number) => {
    const wanted = { ...query, limit: String(Math.max(count, 1)) };
    const { data } = await untilAborted(client.get('logs', wanted), io.stopping);
    io.emit({ type: 'ready', url: client.url });
    for (const entry of data.slice(Math.max(data.length - limit, 0))) showLogEntry(io, entry);
    return data;
  };
  if (!follow) {
    if ((await showPast(limit)).length === 0) io.note('No matching calls or attempts yet.');
    return;
  }
  let past: Set<string> | undefined;
  try {
    for await (const message of client.stream('GET stream/logs', { ...query, signal: io.stopping })) {
      if (message.type === 'ready') past = new Set((await showPast(LIMITS.timelineEntries)).map(keyOf));
      else if (message.type === 'reset' || 'title' in message) {
        io.emit(message);
        io.note('title' in message ? message.title : 'The sandbox was reset.');
      } else if (!past?.delete(keyOf(message))) showLogEntry(io, message);
    }
  } catch (error) {
    if (past === undefined || !(error instanceof NotReachableError)) throw error;
  }
  if (!io.stopping.aborted) throw notRunning(`The sandbox at ${client.url} went away.`);
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

function showLogEntry(io: Io, entry: LogEntry): void {
  io.emit(entry);
  if (!io.json) for (const line of logLines(io, entry)) io.say(line);
}

function keyOf(entry: LogEntry): string {
  return entry.type === 'call' ? entry.call.id : `${entry.delivery_id} ${entry.attempt}`;
}
