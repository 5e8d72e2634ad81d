import { Refusal } from '../../contract/refusals.js';
import type { Delivery, World } from '../world.js';

/** Why a delivery that is not DELIVERED can have no attempt now. */
export const OBSTACLES = ['disabled', 'deleted'] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** What keeps attempts from the endpoint of a delivery; null when it takes them, or when it has taken this one. */
export function obstacleTo({ endpoints }: World, { endpointId, status }: Delivery): Obstacle | null {
  if (status === 'DELIVERED') return null;
  const endpoint = endpoints.get(endpointId);
  if (endpoint === undefined) return 'deleted';
  return endpoint.status === 'DISABLED' ? 'disabled' : null;
}

/** Refuses (ENDPOINT_UNAVAILABLE) a retry whose endpoint takes no attempts. */
export function checkReachable(world: World, delivery: Delivery): void {
  const obstacle = obstacleTo(world, delivery);
  if (obstacle === null) return;
  const { endpointId, event } = delivery;
  const resend = `\`npx pix-sandbox events resend ${event.id}\` sends the event to the endpoints there are now.`;
  const hints = {
    disabled: `Enable it first: \`npx pix-sandbox endpoints enable ${endpointId}\`.`,
    deleted: resend,
  };
  throw new Refusal('ENDPOINT_UNAVAILABLE', `The endpoint ${endpointId} of the delivery is ${obstacle}.`, {
    hint: hints[obstacle],
  });
}
