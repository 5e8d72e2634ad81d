import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { TunnelLimits } from './limits.js';
import { TUNNEL_LIMITS } from './limits.js';
import type { Pause } from './links.js';
import { keepLinks } from './links.js';
import type { Probe } from './probe.js';
import { askProbe } from './probe.js';
import { askRelay } from './relay.js';
import { TunnelTrouble } from './trouble.js';

/** A failed try that will be repeated. */
export interface FailedTry {
  readonly reason: string;
  readonly tries: number;
  readonly limit: number;
  readonly waitMs: number;
}

export interface TunnelOptions {
  /** The URL of the relay. */
  readonly relay: URL;
  /** The name to request; without it the relay chooses one. */
  readonly name?: string | undefined;
  /** Where the local server listens, on every loopback address. It has to answer the probe. */
  readonly localPort: number;
  readonly probe: Probe;
  /** Closes the tunnel at once. */
  readonly signal: AbortSignal;
  /** The public origin is known; no request comes through it yet. */
  readonly onUrl: (url: string) => void;
  /** A request through the public origin has arrived, for the first time or after a break. */
  readonly onOpen: (url: string) => void;
  readonly onFailedTry: (failed: FailedTry) => void;
  readonly limits?: Partial<TunnelLimits>;
  /** By default real time. */
  readonly pause?: Pause;
  readonly now?: () => number;
}

/** All tries to open or reopen a tunnel have failed. */
export class TunnelGone extends Error {
  /** Whether it ever was open. */
  readonly wasOpen: boolean;

  constructor(reason: string, wasOpen: boolean) {
    super(reason);
    this.name = 'TunnelGone';
    this.wasOpen = wasOpen;
  }
}

/**
 * Opens a tunnel and keeps it open until the signal aborts; retries a failed or broken one with growing waits.
 * Rejects with TunnelGone when no tries are left.
 */
export async function keepTunnel(options: TunnelOptions): Promise<void> {
  const { signal, now = () => performance.now(), pause = realPause } = options;
  const limits: TunnelLimits = { ...TUNNEL_LIMITS, ...options.limits };
  const state: TunnelState = { name: options.name, openedAt: undefined };
  let wasOpen = false;
  let tries = 0;
  while (!signal.aborted) {
    state.openedAt = undefined;
    try {
      await stand({ ...options, limits, now, pause }, state);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TunnelTrouble)) throw error;
      const { openedAt } = state;
      wasOpen ||= openedAt !== undefined;
      if (openedAt !== undefined && now() - openedAt >= limits.steadyMs) tries = 0;
      tries += 1;
      const limit = wasOpen ? limits.triesAgain : limits.triesFirst;
      if (tries >= limit) throw new TunnelGone(error.message, wasOpen);
      const waitMs = Math.min(limits.waitMs * 2 ** (tries - 1), limits.waitMaxMs);
      options.onFailedTry({ reason: error.message, tries, limit, waitMs });
      await pause(waitMs, signal).catch(() => undefined);
    }
  }
}

interface TunnelState {
  /** The name to request: the next tunnel should have the URL of the previous one. */
  name: string | undefined;
  openedAt: number | undefined;
}

type Settled = Omit<TunnelOptions, 'limits'> &
  Required<Pick<TunnelOptions, 'now' | 'pause'>> & { readonly limits: TunnelLimits };

/** One tunnel from the relay's grant to its end, which is always a rejection. */
async function stand(options: Settled, state: TunnelState): Promise<never> {
  const { relay, limits, now, onUrl, onOpen } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  setMaxListeners(0, signal);
  try {
    const grant = await askRelay({ relay, name: state.name, timeoutMs: limits.relayMs, signal });
    state.name = grant.id;
    onUrl(grant.url);
    const scoped = { ...options, signal };
    const lead = async (): Promise<never> => {
      await untilReady(grant.url, scoped);
      state.openedAt = now();
      onOpen(grant.url);
      return untilSilent(grant.url, scoped);
    };
    return await Promise.race([keepLinks({ ...scoped, grant }), lead()]);
  } finally {
    ending.abort();
  }
}

const FIRST_PROBE_WAIT_MS = 250;
const PROBE_WAIT_MAX_MS = 2_000;

/** Resolves when the token has come back through the public URL. */
async function untilReady(url: string, { probe, limits, pause, signal }: Settled): Promise<void> {
  const timeUp = AbortSignal.timeout(limits.readyMs);
  let waitMs = FIRST_PROBE_WAIT_MS;
  for (let tries = 1; ; tries += 1) {
    const timeouts = [timeUp, AbortSignal.timeout(limits.probeMs)];
    const problem = await askProbe(url, probe, AbortSignal.any([signal, ...timeouts]));
    if (problem === undefined) return;
    signal.throwIfAborted();
    if (timeUp.aborted || tries >= limits.readyProbes) {
      throw new TunnelTrouble(`The relay gave ${url}, but it does not lead here: ${problem}.`);
    }
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, PROBE_WAIT_MAX_MS);
  }
}

/** Checks the public URL from time to time; rejects when it no longer leads here. */
async function untilSilent(url: string, { probe, limits, pause, signal }: Settled): Promise<never> {
  for (let misses = 0; ;) {
    await pause(misses === 0 ? limits.healthMs : limits.recheckMs, signal);
    const timeout = AbortSignal.timeout(limits.probeMs);
    const problem = await askProbe(url, probe, AbortSignal.any([signal, timeout]));
    signal.throwIfAborted();
    misses = problem === undefined ? 0 : misses + 1;
    if (misses >= limits.misses) throw new TunnelTrouble(`${url} no longer leads here: ${problem}.`);
  }
}

function realPause(ms: number, signal: AbortSignal): Promise<void> {
  return pauseFor(ms, undefined, { signal });
}
