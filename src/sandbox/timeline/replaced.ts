import { shortenSessionIds } from '../../core/identity/session.js';
import type { Entry } from './entry.js';
import { beginsWorld } from './said.js';
import type { Timeline } from './timeline.js';

/** A shorter text may begin many ids. */
const LEAST_LENGTH = 8;

/** The restore, import or reset that began this world, as far as it is kept; undefined for the first world. */
export function replacement({ ring, worldBegan }: Timeline): Entry | undefined {
  const began = ring.get(worldBegan);
  return began !== undefined && began.seq > 1 && beginsWorld(began) ? began : undefined;
}

/** The first restore, import or reset after the last entry about this id or code, if the timeline still has both. */
export function replacementAfter(timeline: Timeline, given: string): Entry | undefined {
  const text = shortenSessionIds(given).replace(/…$/, '');
  const isNamed = (name: string | null | undefined) =>
    name === text || (text.length >= LEAST_LENGTH && name?.startsWith(text) === true);
  let ended: Entry | undefined;
  for (const entry of timeline.ring.backwards(timeline.worldBegan)) {
    const { delivery_id: delivery, event_id: event, resource_id: resource, code } = entry.facts;
    if (entry.seq > 1 && beginsWorld(entry)) ended = entry;
    else if ([entry.id, delivery, event, resource].some(isNamed) || code === given) return ended;
  }
  return undefined;
}
