import { isOriginAllowed } from '../../core/identity/applications.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { recordRefusedRequest } from '../shared/request-record.js';
import type { RunningServer } from './serve.js';
import { serve } from './serve.js';
import type { PublicSurfaceOptions } from './surfaces.js';

export interface PublicServerOptions extends Omit<PublicSurfaceOptions, 'origin'> {
  /** The public origin. Every request is rejected while this is undefined. */
  readonly origin: () => string | undefined;
}

const LOOPBACK: readonly [string, string] = ['127.0.0.1', '::1'];
/**
 * A long timeout, because tunnel connections can stay idle before their first request and the surfaces
 * enforce a separate body timeout.
 */
const IDLE_TIMEOUT_MS = 86_400_000;

/** Serves the APIs exposed by a tunnel on a free loopback port. */
export function servePublic(
  sandbox: Sandbox,
  { origin, ...options }: PublicServerOptions,
): Promise<RunningServer> {
  return serve({
    load: async () => {
      const { createPublicSurfaces } = await import('./surfaces.js');
      return createPublicSurfaces(sandbox, { origin: () => origin() ?? '', ...options });
    },
    guards: {
      allowedHosts: new Set(),
      isRegisteredOrigin: (from) => isOriginAllowed(sandbox.world, from),
      publicOrigin: origin,
      onRefused: (refused) => recordRefusedRequest(sandbox, refused),
    },
    hosts: LOOPBACK,
    port: 0,
    timeouts: { headersMs: IDLE_TIMEOUT_MS, requestMs: IDLE_TIMEOUT_MS },
  });
}
