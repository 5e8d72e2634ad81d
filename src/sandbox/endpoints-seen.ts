import type { Sandbox } from './sandbox.js';

/** The URLs of all endpoints that there are from now on, by id; tests may delete theirs. */
export function endpointsSeen(sandbox: Sandbox): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type === 'endpoint') urls.set(effect.endpoint.id, effect.endpoint.url);
    }
  });
  return urls;
}
