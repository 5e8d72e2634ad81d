import type { JournalCause, JournalEntry, Replayed } from '../../core/journal.js';
import type { World } from '../../core/world.js';
import type { Actor } from './entry.js';
import { ACTORS } from './entry.js';
import { rateSaid, stateSaid } from './said.js';
import type { Timeline } from './timeline.js';

/** Adds to a timeline what a journal says again. Of a call it knows only those that changed something, and not their answers. */
export function tellReplayed(
  timeline: Timeline,
  entry: JournalEntry,
  replayed: Replayed | undefined,
  world: World,
): void {
  if ('world' in entry) return timeline.beginWorld(stateSaid('begun'), world.now, null);
  if ('rate' in entry) return timeline.note(rateSaid(entry.rate), entry.at, null);
  if (replayed === undefined) return;
  const record = () => timeline.record({ ...replayed, world, realAt: null });
  const { by, call, scenario } = readCause(entry.cause);
  if (call !== undefined) return timeline.againCall(call, world.now, record);
  timeline.because({ by, ...(scenario === undefined ? {} : { scenario }) }, record);
}

/** What follows from a cause that cannot be read is the sandbox's own. */
function readCause(cause: JournalCause | undefined): JournalCause & { readonly by: Actor } {
  const by = ACTORS.find((actor) => actor === cause?.by);
  return by === undefined ? { by: 'sandbox' } : { ...cause, by };
}
