import { CALL_ROUTES } from '../../../contract/call-routes.js';
import { FAULT_DOORS } from '../../../contract/fault-kinds.js';
import type { CallView } from '../../../http/control/schema.js';
import { globMeetsRoute } from '../../../text/globs.js';

type RoutesOfDoor = readonly string[];

/** The paths of a door's routes as patterns: `*` for each part that varies. */
export function pathsOf(routes: RoutesOfDoor): string[] {
  return [...new Set(routes.map((route) => patternOf(route.split(' ')[1] ?? '')))];
}

function patternOf(path: string): string {
  return path.replaceAll(/:\w+/g, '*');
}

/** The methods of the calls that a fault can hit. */
export const METHODS = [
  ...new Set(
    Object.values(CALL_ROUTES)
      .flat()
      .map((route) => route.split(' ')[0] ?? ''),
  ),
];

/** The page that adds a fault for calls like this one; undefined where no fault can hit it. */
export function faultPage({
  door,
  method,
  path,
}: Pick<CallView, 'door' | 'method' | 'path'>): string | undefined {
  const known = FAULT_DOORS.find((one) => one === door);
  if (known === undefined) return undefined;
  const [bare = ''] = path.split('?');
  const asked = method === 'HEAD' ? 'GET' : method;
  for (const route of CALL_ROUTES[known] as RoutesOfDoor) {
    const [verb, own = ''] = route.split(' ');
    if (verb !== asked || !globMeetsRoute(bare, own)) continue;
    return `/faults?${new URLSearchParams({ door, method: asked, path: patternOf(own) }).toString()}`;
  }
  return undefined;
}
