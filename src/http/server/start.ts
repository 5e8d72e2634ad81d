import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { isInstant, formatIsoTime } from '../../contract/time.js';
import { isOriginAllowed } from '../../core/identity/applications.js';
import { Refusal } from '../../contract/refusals.js';
import type { World } from '../../core/world.js';
import { type EnvironmentBlock, createEnvironmentBlock } from '../../sandbox/credentials.js';
import type { PersistenceState, Persistence, PersistenceOptions } from '../../sandbox/persistence.js';
import type { RestoredState, SandboxOptions } from '../../sandbox/options.js';
import { Sandbox } from '../../sandbox/sandbox.js';
import { type EnvironmentMapping, mapEnvironment } from '../../text/environment.js';
import { describeStateChange } from '../../sandbox/timeline/entry-content.js';
import { createLoader, type FetchHandler, serve, type RunningServer } from './serve.js';
import { recordRefusedRequest } from '../shared/request-record.js';
import type { ScenarioSource } from '../control/world.js';
import type { ServerFacts } from '../control/system.js';
import type { SurfaceOptions } from './surfaces.js';
import type { GuardPolicy } from './guards.js';

export interface ServerOptions extends SandboxOptions, SurfaceOptions, Partial<PersistenceOptions> {
  /** 0 selects a free port. Without a port, only `fetch` is available. */
  readonly port?: number | undefined;
  /** Listening host; by default loopback over IPv4 and, if available, IPv6. */
  readonly host?: string | undefined;
  /** The application's own variables, added to the environment block. */
  readonly env?: EnvironmentMapping | undefined;
  /** Allowed Host header names in addition to loopback. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Lists, runs and records scenarios for the control API; if omitted, those routes return errors. */
  readonly scenarios?: ScenarioSource | undefined;
  /** Observations of a parity probe, for the list of assumptions. */
  readonly observations?: ServerFacts['observations'];
  /** Stops the process for `POST /_sandbox/stop`; if omitted, that route returns an error. */
  readonly onStop?: (() => void) | undefined;
}

/** A sandbox with its HTTP server. */
export interface SandboxServer {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly port: number;
  readonly instanceId: string;
  /** Set if the sandbox resumed a stored world. */
  readonly isRestored: boolean;
  /** The environment block for applications under test. */
  readonly env: EnvironmentBlock;
  /**
   * Loads the API code, which takes half of the startup time, before the first request. Rejects if loading
   * fails; the APIs are then unavailable.
   */
  readonly open: () => Promise<void>;
  /** Handles requests without a socket. Rejects like global fetch if a fault breaks the connection. */
  readonly fetch: FetchHandler;
  /**
   * Stops accepting requests, ends open responses after the grace period (real ms), stops the sandbox, and
   * writes its state.
   */
  readonly close: (graceMs?: number) => Promise<void>;
  /**
   * Returns true if every change is saved to the data directory, if any. The value is final after `close`.
   */
  readonly isSaved: () => boolean;
}

const LOOPBACK: readonly [string, string] = ['127.0.0.1', '::1'];
/** Origins allowed to embed a loopback sandbox's identity pages. */
const LOOPBACK_ORIGINS = ['http://localhost:*', 'http://127.0.0.1:*'];
const CLOSE_GRACE_MS = 2_000;

/** Returns true if a listening host is reachable only from this machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined || host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * Creates and serves a sandbox. Throws PortTakenError, Refusal for invalid options or an invalid system date,
 * and StoreError for an unusable data directory or recording.
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  if (!isLoopbackHost(options.host) && !options.controlToken) {
    throw new Refusal(
      'INVALID_REQUEST',
      'The control API requires a token when the sandbox does not listen on loopback.',
      {
        hint: 'Set controlToken, or listen on 127.0.0.1.',
      },
    );
  }
  checkSystemDate(options.realNow ?? Date.now);
  const { dataDirectory, recordFile, onWarning = () => undefined } = options;
  let flushed: Persistence | undefined;
  if (dataDirectory !== undefined || recordFile !== undefined) {
    const { openPersistence } = await import('../../sandbox/persistence.js');
    flushed = await openPersistence({ dataDirectory, recordFile, onWarning });
  }
  try {
    return await openSurfaces(options, flushed);
  } catch (error) {
    await flushed?.abandon();
    throw error;
  }
}

/** Throws INVALID_REQUEST if the system date cannot be formatted or restored. */
function checkSystemDate(realNow: () => number): void {
  const now = realNow();
  if (isInstant(now)) return;
  const [date] = formatIsoTime(now).split('T');
  throw new Refusal('INVALID_REQUEST', `The system date is ${date}; expected a year from 1970 to 9999.`, {
    hint: 'Correct the system date.',
  });
}

async function openSurfaces(
  options: ServerOptions,
  flushed: Persistence | undefined,
): Promise<SandboxServer> {
  const { host, port, allowedHosts = [] } = options;
  const isExposed = !isLoopbackHost(host);
  const sandbox = createSandbox(options, isExposed, flushed);
  const own = host === undefined || WILDCARDS.has(host) ? [] : [bracketed(host)];
  const names = [...allowedHosts, ...own].map((name) => name.toLowerCase().replace(/\.$/, ''));
  const guards: GuardPolicy = {
    allowedHosts: new Set(names),
    isRegisteredOrigin: (origin) => isOriginAllowed(sandbox.world, origin),
    program: sandbox.program,
    onRefused: (refused) => recordRefusedRequest(sandbox, refused),
  };
  const instanceId = randomUUID();
  let url = 'http://sandbox.localhost';
  const facts: ServerFacts = {
    instanceId,
    version: __VERSION__,
    pid: process.pid,
    startedAt: sandbox.realNow(),
    url: () => url,
    isExposed,
    env: () => mapEnvironment(createEnvironmentBlock(url, sandbox.credentials), options.env),
    data: () => flushed?.state() ?? null,
    observations: options.observations,
    scenarios: options.scenarios,
    onStop: options.onStop,
  };
  const load = createLoader(async () => {
    const { createSurfaces } = await import('./surfaces.js');
    return createSurfaces(sandbox, facts, guards, options);
  });
  const fetch: FetchHandler = async (request, bindings) => {
    let broken: Error | undefined;
    const breakOff = (cause: Error) => {
      broken = cause;
    };
    const response = await (await load())(request, { breakOff, ...bindings });
    if (broken !== undefined) throw new TypeError('fetch failed', { cause: broken });
    return response;
  };
  let served: RunningServer | undefined;
  if (port !== undefined) {
    const hosts = host === undefined || host === 'localhost' ? LOOPBACK : ([host] as const);
    served = await serve({ load, guards, hosts, port }).catch((error: unknown) => {
      sandbox.close();
      throw error;
    });
    const isAny = host === undefined || host === 'localhost' || WILDCARDS.has(host);
    url = `http://${isAny ? '127.0.0.1' : bracketed(host)}:${served.port}`;
  }
  return {
    sandbox,
    url,
    port: served?.port ?? 0,
    instanceId,
    isRestored: flushed?.restored !== undefined && hasHistory(flushed.restored.world),
    env: facts.env(),
    open: async () => served?.open(),
    fetch,
    close: async (graceMs = CLOSE_GRACE_MS) => {
      sandbox.close();
      await served?.close(graceMs);
      await flushed?.close(currentOf(sandbox));
    },
    isSaved: () => (flushed?.state()?.failure ?? null) === null,
  };
}

const WILDCARDS = new Set(['0.0.0.0', '::']);

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Creates a sandbox whose timeline records when saving fails and recovers. */
function createSandbox(
  options: ServerOptions,
  isExposed: boolean,
  flushed: Persistence | undefined,
): Sandbox {
  const origins = [...(isExposed ? [] : LOOPBACK_ORIGINS), ...(options.origins ?? [])];
  const { restored, journal } = flushed ?? {};
  const sandbox = new Sandbox({ ...options, origins, restored, journal });
  let known: string | null = null;
  const onChange = ({ failure }: PersistenceState) => {
    if (failure === known) return;
    known = failure;
    sandbox.note(
      failure === null
        ? describeStateChange('persisted again')
        : describeStateChange('not persisted', null, `(${failure})`),
    );
  };
  flushed?.attach({ current: () => currentOf(sandbox), onChange });
  return sandbox;
}

function currentOf({ world, clock }: Sandbox): RestoredState {
  return { world, rate: clock.rate };
}

/** Returns true if a world contains payments, sessions, endpoints or faults. */
function hasHistory({ charges, withdrawals, sessions, endpoints, faults }: World): boolean {
  const tables = [charges.rows.length, withdrawals.rows.length, sessions.rows.length];
  return tables.some((count) => count > 0) || endpoints.size > 0 || faults.size > 0;
}
