import { SESSION } from '../../core/input/bodies.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Schema } from '../../schema/schema.js';
import type { DoorApp } from '../operation/answer.js';
import { createDoorApp } from '../operation/door-app.js';
import { refuseCall } from '../operation/calls.js';
import { createFallback } from '../operation/fallbacks.js';
import { IDENTITY_PREFIX } from '../operation/targets.js';
import type { IdentityDoor } from './call.js';
import { perform } from './call.js';
import type { RateLimit } from './rate-limit.js';
import { RateLimiter } from './rate-limit.js';
import { createSession, readResult } from './sessions.js';

const ROUTES = [
  { method: 'POST', path: 'sessions', body: SESSION, handle: createSession },
  { method: 'GET', path: 'sessions/:sessionId/result', handle: readResult },
] as const;

/** A route of this door with its full path. */
export interface IdentityRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Schema<unknown>;
}

export const IDENTITY_ROUTES: readonly IdentityRoute[] = ROUTES.map(({ handle: _handle, ...route }) => ({
  ...route,
  path: IDENTITY_PREFIX + route.path,
}));

export interface IdentityOptions {
  /** The origin of the hosted pages. */
  readonly hostedUrl: () => string;
  /** The rate limit for each organization; none when absent. */
  readonly rateLimit?: RateLimit | undefined;
}

/** The identity-verification API as a Hono app (§4.10, §4.11). */
export function createIdentityApp(sandbox: Sandbox, { hostedUrl, rateLimit }: IdentityOptions): DoorApp {
  const app = createDoorApp();
  const limiter = rateLimit === undefined ? undefined : new RateLimiter(rateLimit);
  sandbox.onReset(() => limiter?.clear());
  const door: IdentityDoor = { hostedUrl, limiter };
  for (const { method, path, handle } of ROUTES) {
    app.on(method, IDENTITY_PREFIX + path, (c) => perform(sandbox, c, door, handle));
  }
  const unrouted = createFallback(IDENTITY_PREFIX, ROUTES);
  app.notFound((c) => refuseCall(sandbox, c, 'identity', unrouted(c)));
  return app;
}
