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
import { describeStateChange } from '../../sandbox/timeline/entry-content.js';
import { createLoader, type FetchHandler, serve, type RunningServer } from './serve.js';
import { recordRefusedRequest } from '../shared/request-record.js';
import type { ScenarioSource } from '../control/world.js';
import type { ServerFacts } from '../control/system.js';
import type { SurfaceOptions } from './surfaces.js';
import type { GuardPolicy } from './guards.js';

export interface ServerOptions extends SandboxOptions, SurfaceOptions, Partial<PersistenceOptions> {
  /** 0 picks a free port; without a port there is no socket, only `fetch`. */
  readonly port?: number | undefined;
  /** By default the loopback addresses, IPv4 and, if the machine has it, IPv6. */
  readonly host?: string | undefined;
  /** Allowed names in the Host header in addition to the loopback ones. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Lists, runs and records scenarios over the control API; without it, those routes refuse. */
  readonly scenarios?: ScenarioSource | undefined;
  /** Asks the process to stop, for `POST /_sandbox/stop`; without it, that route refuses. */
  readonly onStop?: (() => void) | undefined;
}

/** A sandbox with its HTTP server. */
export interface SandboxServer {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly port: number;
  readonly instanceId: string;
  /** It continues with a stored world. */
  readonly isRestored: boolean;
  /** The environment block for applications under test. */
  readonly env: EnvironmentBlock;
  /**
   * Loads the code of the APIs, half of the start time, before the first request does. Rejects if loading
   * fails, and then no API responds.
   */
  readonly open: () => Promise<void>;
  /** Responds without a socket; rejects like global fetch where a fault breaks the connection. */
  readonly fetch: FetchHandler;
  /**
   * Stops accepting requests, ends open responses after the grace period (real ms), stops the sandbox, and
   * writes its state.
   */
  readonly close: (graceMs?: number) => Promise<void>;
  /** True if every change is in the data directory, if any; final after `close`. */
  readonly isSaved: () => boolean;
}

const LOOPBACK: readonly [string, string] = ['127.0.0.1', '::1'];
/** Origins allowed to embed the identity pages of a sandbox reachable only from this machine. */
const LOOPBACK_ORIGINS = ['http://localhost:*', 'http://127.0.0.1:*'];
const CLOSE_GRACE_MS = 2_000;

/** Checks whether a listening host is reachable only from this machine. */
export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined || host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/**
 * Creates and serves a sandbox. Throws PortTakenError, Refusal for invalid options or a wrong system date,
 * and StoreError for an unusable data directory or recording.
 */
export async function startServer(options: ServerOptions = {}): Promise<SandboxServer> {
  if (!isLoopbackHost(options.host) && !options.controlToken) {
    throw new Refusal('INVALID_REQUEST', 'When not on loopback, the control API needs its own token.', {
      hint: 'Give controlToken, or listen on 127.0.0.1.',
    });
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

/** Instants outside these years can be neither shown nor restored. */
function checkSystemDate(realNow: () => number): void {
  const now = realNow();
  if (isInstant(now)) return;
  const [date] = formatIsoTime(now).split('T');
  throw new Refusal('INVALID_REQUEST', `The system date is ${date}; expected a year from 1970 to 9999.`, {
    hint: 'Correct the date of this machine.',
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
    env: () => createEnvironmentBlock(url, sandbox.credentials),
    data: () => flushed?.state() ?? null,
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
    env: createEnvironmentBlock(url, sandbox.credentials),
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

/** The timeline says when saving fails, and when it works again. */
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

/** Checks whether a world has changed since its start. */
function hasHistory({ charges, withdrawals, sessions, endpoints, faults }: World): boolean {
  const tables = [charges.rows.length, withdrawals.rows.length, sessions.rows.length];
  return tables.some((count) => count > 0) || endpoints.size > 0 || faults.size > 0;
}
