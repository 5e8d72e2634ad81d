import { Refusal } from '../../contract/refusals.js';
import { ordinalOf } from '../ids.js';
import type { World } from '../world.js';
import { rowAt } from '../table.js';

/**
 * The refusal (NOT_FOUND) of an id, or its first eight digits or more, that an event or delivery had which retention dropped;
 * undefined for any other text. Ids follow from seed and ordinal, so none of them has to be kept.
 */
export function droppedRefusal(world: World, kind: 'event' | 'delivery', text: string): Refusal | undefined {
  const { rows } = kind === 'event' ? world.events : world.deliveries;
  const count = kind === 'event' ? world.eventCount : world.deliveryCount;
  const [, digits] = /^(?:evt_)?([\da-f][\da-f-]*)…?$/.exec(text.toLowerCase()) ?? [];
  if (count === rows.length || digits === undefined) return undefined;
  const ordinal = ordinalOf(world, kind, digits, count);
  if (ordinal === undefined || rowAt<{ readonly ordinal: number }>(rows, ordinal) !== undefined)
    return undefined;
  return new Refusal(
    'NOT_FOUND',
    `Retention dropped the ${kind} ${text}, one of the oldest that were finished.`,
    {
      hint: `The sandbox keeps ${world.keepDeliveries} finished deliveries; \`npx sandbox start --keep-deliveries N\` keeps more.`,
    },
  );
}
