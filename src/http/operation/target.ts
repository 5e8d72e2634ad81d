import type { DoorContext } from './answer.js';

/** The request target exactly as received; a request without a socket has only its URL. */
export function requestTarget({ env, req }: DoorContext): string {
  const raw = env.incoming?.url;
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(req.url);
  return pathname + search;
}

/** A request target before its `?`. */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt === -1 ? target : target.slice(0, queryAt);
}
