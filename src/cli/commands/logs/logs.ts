import type { ControlClient } from '../../../client/control.js';
import { NotReachableError } from '../../../client/control.js';
import type { EntryView, TimelineBreakView } from '../../../http/control/schema.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { flagsGiven } from '../../program/declaration.js';
import { notRunning, usageError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import { untilAborted } from '../../../delivery/abort.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import type { logs } from './command.js';
import { ofSources } from './of-sources.js';
import { entryLine } from './entry-text.js';
import { showSources } from './sources.js';

type Invocation = InvocationOf<typeof logs>;

/** `sandbox logs`: the timeline, or with `--source` and its filters calls and attempts alone. */
export const showLogs: BodyOf<typeof logs> = async (invocation) => {
  const { args, options } = invocation;
  const q = [...args.filter, ...(options.filter === undefined ? [] : [options.filter])].join(' ');
  const [ofSource] = flagsGiven(options, ofSources);
  if (ofSource === undefined)
    return withSandbox(invocation, (client) => showTimeline(client, q === '' ? undefined : q, invocation));
  if (q !== '')
    throw usageError(
      `${ofSource} and the filter ${q} contradict each other.`,
      'A filter is about the timeline: in it write is:failed, status:4xx, path:/api/* or since:5m.',
    );
  await withSandbox(invocation, (client) => showSources(client, invocation));
};

/** The newest entries, and with `--follow` new ones until a signal. */
async function showTimeline(
  client: ControlClient,
  q: string | undefined,
  { io, options: { limit, follow } }: Invocation,
): Promise<void> {
  const past = client.get('timeline', { q, limit: Math.max(limit, 1) });
  const { run, newest, data } = await untilAborted(past, io.stopping);
  io.emit({ type: 'ready', url: client.url });
  for (const entry of limit === 0 ? [] : data) show(io, entry);
  if (follow) return goOn(client, q, `${run}-${newest}`, io);
  if (data.length === 0) io.note('Nothing that matches has happened yet.');
}

/** Shows what comes after a message; a connection that breaks is resumed once for each time that it held. */
async function goOn(client: ControlClient, q: string | undefined, after: string, io: Io): Promise<void> {
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
        show(io, message);
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

function show(io: Io, entry: EntryView | TimelineBreakView): void {
  io.emit(entry);
  if (io.json) return;
  if (isBreak(entry)) io.note(`${entry.title}.`);
  else io.say(entryLine(io, entry));
}

/** Whether the stream could not go on where it was cut: older entries are gone, or the sandbox was started again. */
function isBreak(entry: EntryView | TimelineBreakView): entry is TimelineBreakView {
  return entry.kind === 'gap' || entry.kind === 'restarted';
}
