import { Refusal } from '../../contract/refusals.js';
import { listenerNameOf } from '../../text/listener-name.js';
import type { Delivery, Endpoint, World } from '../world.js';

/** Why a delivery that is not DELIVERED can have no attempt now. */
export const OBSTACLES = ['disabled', 'deleted', 'away', 'paused'] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** Whether it is a listener without a connection: what it had pending is held until it returns, and it gets nothing new. */
export function isAway({ transport, connected }: Endpoint): boolean {
  return transport === 'listener' && !connected;
}

function obstacleAt(endpoint: Endpoint | undefined): Exclude<Obstacle, 'paused'> | null {
  if (endpoint === undefined) return 'deleted';
  if (endpoint.status === 'DISABLED') return 'disabled';
  return isAway(endpoint) ? 'away' : null;
}

/** What keeps a delivery from its next attempt; null when nothing does, or when there is none to come. */
export function obstacleTo({ endpoints, deliveriesPaused, now }: World, delivery: Delivery): Obstacle | null {
  const { endpointId, status, inFlight, nextAttemptAt } = delivery;
  if (status === 'DELIVERED' || inFlight) return null;
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now;
  return obstacleAt(endpoints.get(endpointId)) ?? (deliveriesPaused && isDue ? 'paused' : null);
}

/** What to type while a delivery is held; undefined while its next attempt comes by itself. */
export function releaseHint(world: World, delivery: Delivery): string | undefined {
  const obstacle = obstacleTo(world, delivery);
  if (obstacle === 'paused') return 'Deliveries are paused; `npx sandbox deliveries resume` lets them go.';
  if (obstacle !== 'away') return undefined;
  return `It is held while its listener is away; start ${listenOf(world, delivery)} again.`;
}

/** The command whose listener takes a delivery. */
function listenOf({ endpoints }: World, { endpointId }: Delivery): string {
  return `\`npx sandbox listen --name ${listenerNameOf(endpoints.get(endpointId)?.url ?? '')}\``;
}

/** Why the endpoint of a delivery takes no attempts; null when it does. */
export function unreachable(
  { endpoints }: World,
  { endpointId }: Delivery,
): Exclude<Obstacle, 'paused'> | null {
  return obstacleAt(endpoints.get(endpointId));
}

/** Refuses (ENDPOINT_UNAVAILABLE) a retry whose endpoint takes no attempts. */
export function checkReachable(world: World, delivery: Delivery): void {
  const { endpointId, event } = delivery;
  const obstacle = unreachable(world, delivery);
  if (obstacle === null) return;
  const resend = `\`npx sandbox events resend ${event.id}\` sends the event to the endpoints there are now.`;
  const hints = {
    disabled: `Enable it first: \`npx sandbox endpoints enable ${endpointId}\`.`,
    deleted: resend,
    away: `Start ${listenOf(world, delivery)} again, then retry; or ${resend}`,
  };
  throw new Refusal('ENDPOINT_UNAVAILABLE', `The endpoint ${endpointId} of the delivery is ${obstacle}.`, {
    hint: hints[obstacle],
  });
}
