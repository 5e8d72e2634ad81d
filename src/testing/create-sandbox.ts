import type { AutoDecision } from '../core/session.js';
import { ledgerProblems } from '../core/ledger-check.js';
import { parseDuration } from '../core/time.js';
import { parseRoute } from '../delivery/destination.js';
import { parseInstant } from '../http/instant.js';
import { startServer } from '../http/server.js';
import { callVerbs } from './calls.js';
import { clockVerbs } from './clock.js';
import { Control } from './control.js';
import type { FaultFields } from './faults.js';
import { faultVerbs } from './faults.js';
import type { ForwardOptions, ForwardTarget } from './forward.js';
import { forwardTo } from './forward.js';
import type { Patience } from './history.js';
import { deliveryVerbs, endpointVerbs, eventVerbs, PATIENCE_MS, triggerVerb } from './history.js';
import { kycVerbs } from './identity.js';
import { chargeVerbs, withdrawalVerbs } from './payments.js';
import { stateVerbs } from './state.js';

export type { StateFile } from '../sandbox/state-file.js';

export interface CreateSandboxOptions {
  /** A port of 127.0.0.1; 0, the default, takes a free one, and false opens none: then only `fetch` answers. */
  readonly port?: number | false | undefined;
  /** Ids, drawn secrets and chance follow from it. */
  readonly seed?: string | undefined;
  /** Sandbox time begins at this instant (ISO 8601, a Date, or milliseconds since 1970) and stands still. */
  readonly freezeAt?: string | number | Date | undefined;
  /** Where deliveries to an origin go instead: `{'https://shop.example': 'http://localhost:3000'}`. */
  readonly routes?: Readonly<Record<string, string>> | undefined;
  /** Lets endpoints be http and local. */
  readonly allowLocalEndpoints?: boolean | undefined;
  /** Charges settle by themselves after this time, a duration of sandbox time such as `5s`. */
  readonly autoSettle?: string | undefined;
  /** Choices for what the contract leaves open, by id: `{'charge.lifetime': '15m'}`. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** What goes wrong from the beginning, and again after every `reset`. */
  readonly faults?: readonly FaultFields[] | undefined;
  /** Identity: sessions decide themselves, readable after a delay such as `2s` of sandbox time. */
  readonly kycAuto?:
    | { readonly status: AutoDecision['status']; readonly delay?: string | undefined }
    | undefined;
  /** Origins whose pages may use the browser SDK beside `http://localhost:*` and `http://127.0.0.1:*`. */
  readonly origins?: readonly string[] | undefined;
  /** Answers as the service does and explains nothing. */
  readonly strict?: boolean | undefined;
}

/** A sandbox in this process, with the verbs of the payer, the bank and the tester. */
export type TestSandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Starts a sandbox as `sandbox start` does, in this process. Throws TypeError for options that cannot be read, SandboxError for
 * faults that do not fit, and Error for a port that is taken. End it with `close()` or `await using`.
 */
export async function createSandbox(options: CreateSandboxOptions = {}) {
  const { port = 0, seed, assume, strict, allowLocalEndpoints = false } = options;
  const server = await startServer({
    port: port === false ? undefined : port,
    seed,
    assume,
    strict,
    freezeAt: freezeAtMs(options.freezeAt),
    autoSettleMs: durationMs('autoSettle', options.autoSettle),
    kycAuto: autoDecision(options.kycAuto),
    origins: options.origins,
    policy: { routes: routesOf(options.routes), allowLocalEndpoints },
  });
  const { sandbox, url, env } = server;
  const control = new Control(url, (request) => server.fetch(request, {}));
  const faults = faultVerbs(control);
  const close = () => server.close();
  try {
    for (const fault of options.faults ?? []) await faults.add(fault);
  } catch (error) {
    await close();
    throw error;
  }
  const initialFaults = [...sandbox.world.faults.values()];
  sandbox.onReset((isFresh) => {
    if (!isFresh) return;
    for (const fault of initialFaults) sandbox.dispatch({ type: 'fault.add', fault });
  });
  return {
    /** The origin; without a port one that only `fetch` knows. */
    url,
    /** The environment block: what an application needs to use this sandbox. */
    env,
    /** Answers without a socket; takes what global fetch takes, and paths. */
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      server.fetch(new Request(input instanceof Request ? input : new URL(input, url), init), {}),
    charges: chargeVerbs(control),
    withdrawals: withdrawalVerbs(control),
    kyc: kycVerbs(control),
    trigger: triggerVerb(control),
    events: eventVerbs(control),
    deliveries: deliveryVerbs(control),
    endpoints: endpointVerbs(control),
    clock: clockVerbs(control, () => sandbox),
    faults,
    calls: callVerbs(control),
    ledger: {
      /** What does not add up, in words; empty when every balance is the sum of its transactions, and these are right. */
      problems: (): string[] => ledgerProblems(sandbox.world),
    },
    /** Delivers every event to a URL or a `fetch`, signed with SANDBOX_WEBHOOK_SECRET. */
    forwardTo: (target: ForwardTarget, forward: ForwardOptions = {}) => forwardTo(sandbox, target, forward),
    ...stateVerbs(control),
    /** Resolves when nothing is in flight and nothing is due now; rejects when the real time is up first. */
    idle: async ({ timeoutMs = PATIENCE_MS }: Patience = {}): Promise<void> => {
      const { idle } = await control.get<{ idle: boolean }>('idle', { timeout: `${timeoutMs}ms` });
      if (idle) return;
      throw new Error(`Not idle within ${timeoutMs} ms: ${sandbox.openAttempts} attempts are in flight.`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function freezeAtMs(at: CreateSandboxOptions['freezeAt']): number | undefined {
  if (at === undefined) return undefined;
  const ms = typeof at === 'string' ? parseInstant(at) : Number(at);
  if (ms !== undefined && Number.isFinite(ms)) return ms;
  throw new TypeError(`freezeAt takes an instant such as 2026-01-31T12:00:00Z; got ${String(at)}.`);
}

function durationMs(option: string, duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const ms = parseDuration(duration);
  if (ms !== undefined) return ms;
  throw new TypeError(`${option} takes a duration such as 5s; got ${duration}.`);
}

function autoDecision(auto: CreateSandboxOptions['kycAuto']): AutoDecision | undefined {
  return auto === undefined
    ? undefined
    : { status: auto.status, delayMs: durationMs('kycAuto.delay', auto.delay) ?? 0 };
}

function routesOf(routes: CreateSandboxOptions['routes']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(routes ?? {}).map(([from, to]) => {
      const route = parseRoute(`${from}=${to}`);
      return [route.from, route.to];
    }),
  );
}
