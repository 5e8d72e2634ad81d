import { createHash } from 'node:crypto';
import type { Command } from '../core/commands.js';
import type { World } from '../core/world.js';

/**
 * The first commands in a world that was stored in the middle of its work: listeners are gone, and the outcome of attempts in
 * flight is lost.
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

/** Makes secrets generated in a world from now on differ from earlier ones. */
export function drawingMark(world: World): string {
  const secrets = Array.from(world.endpoints.values(), ({ secret }) => secret);
  const drawn = [world.apps.rows.length, world.sessions.rows.length, world.endpointCount, ...secrets];
  return createHash('sha256').update(drawn.join(' ')).digest('hex');
}
