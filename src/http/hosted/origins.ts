import { originAllowed } from '../../core/identity/organizations.js';
import type { World } from '../../core/world.js';

/** The origin of an address, such as a Referer; undefined where there is none. */
export function originOfUrl(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** The first of these origins that is registered, for an organization or for any; only it gets messages. */
export function registeredAmong(
  world: World,
  candidates: readonly (string | null | undefined)[],
  organizationId?: string,
): string | null {
  const found = candidates.find(
    (origin) => origin !== null && origin !== undefined && originAllowed(world, origin, organizationId),
  );
  return found ?? null;
}
