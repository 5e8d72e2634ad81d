import { createHash } from 'node:crypto';
import type { Command } from '../core/commands.js';
import type { World } from '../core/world.js';

/**
 * What has to be done first in a world that was put away in the middle of things: listeners are gone, and the outcome of
 * what was in flight will never be known.
 */
export function stoppedCommands(world: World): Command[] {
  const gone = [...world.endpoints.values()].filter(({ connected }) => connected);
  const open = world.deliveries.rows.filter(({ inFlight }) => inFlight);
  return [
    ...gone.map(({ id }): Command => ({ type: 'listener.lose', endpointId: id })),
    ...open.map(({ id, attempts }): Command => ({
      type: 'delivery.attempted',
      deliveryId: id,
      number: attempts,
      status: null,
      error: 'SANDBOX_STOPPED',
    })),
  ];
}

/** What sets the secrets that are drawn in a world from now on apart from those that were drawn in it before. */
export function drawingMark(world: World): string {
  const secrets = Array.from(world.endpoints.values(), ({ secret }) => secret);
  const drawn = [world.apps.rows.length, world.sessions.rows.length, world.endpointCount, ...secrets];
  return createHash('sha256').update(drawn.join(' ')).digest('hex');
}
