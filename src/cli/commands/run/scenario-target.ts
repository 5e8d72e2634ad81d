import { assume } from '../../../contract/assumptions.js';
import { parseDuration, parseInstant } from '../../../contract/time.js';
import { parseRoutes } from '../../../delivery/destination.js';
import type { ServerOptions } from '../../../http/server/start.js';
import type { Beginning } from '../../../scenario/steps.js';
import type { Target } from '../../../scenario/doors.js';
import { inProcess, withToken } from '../../../scenario/doors.js';
import { usageError } from '../../program/errors.js';
import type { Seeker } from '../../sandbox/find-sandbox.js';
import { isNotRunning, withSandbox } from '../../sandbox/find-sandbox.js';
import { httpFetch } from '../../sandbox/http-fetch.js';

/** A running sandbox as a scenario sees it. */
export interface RunningTarget extends Target {
  readonly url: string;
}

/** The running sandbox of `--url`, SANDBOX_URL or the project; undefined if none runs and none was named. */
export async function runningTarget(invocation: Seeker): Promise<RunningTarget | undefined> {
  const { io, options } = invocation;
  const isNamed = Boolean(options.url ?? io.env.SANDBOX_URL);
  try {
    return await withSandbox(invocation, async (client) => {
      const env = await client.get('env');
      return { url: client.url, env, fetch: withToken(httpFetch(client.url), client.token) };
    });
  } catch (error) {
    if (!isNamed && isNotRunning(error)) return undefined;
    throw error;
  }
}

/** Fixed start time and seed, so that a scenario is the same on every run. */
const START = '2026-01-31T12:00:00Z';
const SEED = 'scenario';

/** The options of a fresh sandbox for a scenario. Throws a usage error for invalid ones. */
export function freshOptions(beginning: Beginning = {}): ServerOptions {
  const { freeze = START, seed = SEED, auto_settle: autoSettle, kyc_auto: kycAuto } = beginning;
  assume(beginning.assume);
  return {
    seed,
    freezeAt: parseInstant(freeze),
    assume: beginning.assume,
    autoSettleMs: autoSettle === undefined ? undefined : parseDuration(autoSettle),
    kycAuto: kycAuto && { status: kycAuto.status, delayMs: parseDuration(kycAuto.delay ?? '0s') ?? 0 },
    policy: {
      routes: routesOf(beginning),
      allowLocalEndpoints: beginning.allow_local_endpoints ?? false,
    },
  };
}

function routesOf({
  routes = {},
  allow_local_endpoints: allowsLocal = false,
}: Beginning): Map<string, string> {
  try {
    const texts = Object.entries(routes).map(([origin, target]) => `${origin}=${target}`);
    return parseRoutes(texts, allowsLocal);
  } catch (error) {
    throw usageError(`sandbox.routes: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A sandbox of its own for one scenario, in this process and without a port. */
export async function withFreshSandbox<Result>(
  options: ServerOptions,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const { startServer } = await import('../../../http/server/start.js');
  const server = await startServer(options);
  try {
    return await work(inProcess(server));
  } finally {
    await server.close();
  }
}
